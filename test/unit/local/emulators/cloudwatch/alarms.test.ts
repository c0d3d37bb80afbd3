import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../../../local/base/clock.ts';
import type { Alarm } from '../../../../../local/emulators/cloudwatch/alarm.ts';
import { createAlarms } from '../../../../../local/emulators/cloudwatch/alarms.ts';
import { createMetricStore, MINUTE_MS } from '../../../../../local/emulators/cloudwatch/metric-store.ts';
import { alarmHistory } from '../../../../support/alarm-evaluation.ts';

const METRIC = { namespace: 'Parley-dev', name: 'SendRejected', dimensions: { service: 'send' } };
const START = Date.parse('2026-11-23T12:00:00.000Z');
const HOUR_MS = 60 * MINUTE_MS;

const alarmOf = (changes: Partial<Alarm> = {}): Alarm => ({
  name: 'Rejected',
  arn: 'arn',
  description: 'Sends were rejected.',
  highestOf: [{ metric: METRIC, statistic: 'Sum' }],
  periodMs: 5 * MINUTE_MS,
  threshold: 1,
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
  treatMissingData: 'notBreaching',
  ...changes,
});

/** Evaluates an alarm every minute for a number of minutes after START. */
const run = (alarm: Alarm, samples: readonly { readonly at: number; readonly value: number }[], minutes: number) => {
  const store = createMetricStore();
  let now = START;
  const alarms = createAlarms(store, () => new Date(now));
  alarms.add(alarm);
  for (const { at, value } of samples) store.record(METRIC, value, at);
  now += minutes * MINUTE_MS;
  alarms.catchUp();
  return alarms;
};

const minute = (number: number): number => START + number * MINUTE_MS;
const historyOf = (
  alarm: Alarm,
  samples: readonly { readonly at: number; readonly value: number }[],
  minutes: number,
) =>
  run(alarm, samples, minutes)
    .history()
    .map(({ state, at }) => [state, (at.getTime() - START) / MINUTE_MS]);

describe('an alarm of the local run', () => {
  it('starts at the end of the minute in which its metric breaches, and ends a period later', () => {
    expect(historyOf(alarmOf(), [{ at: minute(10.5), value: 1 }], 30)).toEqual([
      ['OK', 1],
      ['ALARM', 11],
      ['OK', 16],
    ]);
  });

  it('ignores other metrics: the same name with other dimensions is another one', () => {
    const store = createMetricStore();
    const other = { ...METRIC, dimensions: { ...METRIC.dimensions, kind: 'x' } };
    store.record(other, 1, START);

    expect(store.statistic(METRIC, 'Sum', START, minute(1))).toBeUndefined();
    expect(store.statistic({ ...other, dimensions: { kind: 'x', service: 'send' } }, 'Sum', START, minute(1))).toBe(1);
  });

  it('is evaluated once per hour if it looks back for more than a day', () => {
    const daily = alarmOf({ periodMs: 24 * HOUR_MS, evaluationPeriods: 2, datapointsToAlarm: 1 });
    const [started, ended] = historyOf(daily, [{ at: minute(30), value: 3 }], 4 * 24 * 60);

    expect(started).toEqual(['ALARM', 60]);
    expect(ended).toEqual(['OK', 49 * 60]);
  });

  it('takes the highest of several metrics, and 0 for one without data', () => {
    const second = { ...METRIC, name: 'Other' };
    const highest = alarmOf({
      threshold: 5,
      highestOf: [
        { metric: METRIC, statistic: 'Maximum' },
        { metric: second, statistic: 'Maximum' },
      ],
    });
    const store = createMetricStore();
    let now = START;
    const alarms = createAlarms(store, () => new Date(now));
    alarms.add(highest);
    store.record(METRIC, 4, START);
    now = minute(2);
    alarms.catchUp();
    expect(alarms.all()[0]?.state).toBe('OK');
    store.record(second, 6, minute(2));
    now = minute(3);
    alarms.catchUp();
    expect(alarms.all()[0]?.state).toBe('ALARM');
  });

  it('changes as an independent evaluation by the documented rules does', () => {
    const rules = fc.record({
      statistic: fc.constantFrom('Sum' as const, 'Minimum' as const, 'Maximum' as const),
      periodMinutes: fc.constantFrom(1, 5),
      evaluationPeriods: fc.integer({ min: 1, max: 6 }),
      datapoints: fc.integer({ min: 1, max: 6 }),
      threshold: fc.integer({ min: 1, max: 4 }),
      treatMissingData: fc.constantFrom('notBreaching' as const, 'breaching' as const, 'ignore' as const),
    });
    const sample = fc.record({
      at: fc.integer({ min: 0, max: 90 * MINUTE_MS }),
      value: fc.integer({ min: 0, max: 4 }),
    });

    fc.assert(
      fc.property(rules, fc.array(sample, { maxLength: 40 }), (rule, drawn) => {
        const { statistic, periodMinutes, evaluationPeriods, threshold, treatMissingData } = rule;
        const datapointsToAlarm = Math.min(rule.datapoints, evaluationPeriods);
        const samples = drawn.map(({ at, value }) => ({ at: START + at, value })).toSorted((a, b) => a.at - b.at);
        const declared = {
          Namespace: METRIC.namespace,
          MetricName: METRIC.name,
          Dimensions: [],
          Statistic: statistic,
          Period: periodMinutes * 60,
          EvaluationPeriods: evaluationPeriods,
          DatapointsToAlarm: datapointsToAlarm,
          Threshold: threshold,
          ComparisonOperator: 'GreaterThanOrEqualToThreshold' as const,
          TreatMissingData: treatMissingData,
        };
        const expected = alarmHistory(declared, samples, { from: minute(1), until: minute(120), extraPeriods: 0 });
        const alarm = alarmOf({
          highestOf: [{ metric: METRIC, statistic }],
          periodMs: periodMinutes * MINUTE_MS,
          evaluationPeriods,
          datapointsToAlarm,
          threshold,
          treatMissingData,
        });

        const found = run(alarm, samples, 120).history();
        expect(found.map(({ state, at }) => ({ at: at.getTime(), state }))).toEqual(expected);
      }),
    );
  });

  it('is evaluated for every minute that a move of the clock skips', async () => {
    const clock = createMovableClock();
    const store = createMetricStore();
    const alarms = createAlarms(store, clock.now);
    alarms.add(alarmOf());
    clock.onMove(async () => alarms.catchUp());
    store.record(METRIC, 1, clock.now().getTime());
    await clock.advance(HOUR_MS);

    expect(alarms.history().map(({ state }) => state)).toEqual(['ALARM', 'OK']);
  });
});
