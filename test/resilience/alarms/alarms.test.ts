import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Alarm } from '../../../local/emulators/cloudwatch/alarm.ts';
import { readRunbook } from '../../support/runbook.ts';
import { type AlarmStage, EVENT_TARGET, startAlarmStage, TOKEN_HEADER } from './alarm-stage.ts';
import { MANAGING_SCENARIOS } from './managing-scenarios.ts';
import { PUBLISHING_SCENARIOS } from './publishing-scenarios.ts';
import { RECEIVING_SCENARIOS } from './receiving-scenarios.ts';
import { type AlarmScenario, runScenario } from './run-scenario.ts';
import { SCALED_SCENARIOS, SENDING_SCENARIOS } from './sending-scenarios.ts';

// Every alarm starts when its fault is injected, and ends after the commands of the runbook. One local run has them all,
// except that of Amazon SNS, in sns-alarm.test.ts. The scenarios that move the clock by days are last.

const SCENARIOS: readonly AlarmScenario[] = [
  ...RECEIVING_SCENARIOS,
  ...SENDING_SCENARIOS,
  ...PUBLISHING_SCENARIOS,
  ...MANAGING_SCENARIOS,
].toSorted((a, b) => (a.stepMinutes ?? 1) - (b.stepMinutes ?? 1));

let stage: AlarmStage;

beforeAll(async () => {
  stage = await startAlarmStage({
    settings: {
      webhook: { auth: { kind: 'shared-token', header: TOKEN_HEADER } },
      window: { per: 'channel' },
      events: { targets: [EVENT_TARGET] },
      sends: { bulkLane: { maxConcurrentCalls: 2 } },
      turns: { silenceSeconds: 60 },
    },
  });
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('an alarm', () => {
  it.each(SCENARIOS)('starts with its fault, and ends with the runbook: $alarm', async (scenario) => {
    await runScenario(stage, scenario);
  });
});

/** Adds a copy of an alarm that differs. Returns its name. */
const addBroken = (alarm: string, changes: (declared: Alarm) => Partial<Alarm>): string => {
  const { alarms } = stage.cloud.emulators.cloudWatch;
  const declared = alarms.all().find((one) => one.alarm.name.includes(`-Monitoring${alarm}`))?.alarm;
  if (declared === undefined) throw new Error(`The stage has no alarm ${alarm}.`);
  alarms.add({ ...declared, ...changes(declared), name: `Parley-dev-MonitoringBroken${alarm}00000000` });
  return `Broken${alarm}`;
};
const scenarioOf = (alarm: string): AlarmScenario => {
  const found = SCENARIOS.find((one) => one.alarm === alarm);
  if (found === undefined) throw new Error(`There is no scenario ${alarm}.`);
  return found;
};

describe('a copy of an alarm with a lower threshold', () => {
  it.each(SCALED_SCENARIOS)('starts with its fault, and ends with the runbook: $alarm', async (scenario) => {
    const copy = addBroken(scenario.alarm, () => ({ threshold: scenario.threshold }));

    await runScenario(stage, scenario, copy);
  });
});

describe('the scenarios', () => {
  it('notice an alarm that watches the metric with other dimensions than those that are emitted', async () => {
    const broken = addBroken('OversizedEvents', ({ highestOf }) => ({
      highestOf: highestOf.map((one) => ({ ...one, metric: { ...one.metric, dimensions: {} } })),
    }));

    await expect(runScenario(stage, scenarioOf('OversizedEvents'), broken)).rejects.toThrow(`${broken} did not start.`);
  });

  it('notice an alarm that stays on because it ignores missing data', async () => {
    const broken = addBroken('QuarantinedEvents', () => ({ treatMissingData: 'ignore' }));

    await expect(runScenario(stage, scenarioOf('QuarantinedEvents'), broken)).rejects.toThrow(`${broken} did not end.`);
  });

  it('are one for each section of the runbook', () => {
    // In sns-alarm.test.ts, silence-alarm.test.ts, and rollout-alarms.test.ts, and above.
    const others = [
      'WebhookUnsubscribed',
      'ChannelsSilent',
      ...SCALED_SCENARIOS.map(({ alarm }) => alarm),
      ...['Receive', 'Send', 'Publish', 'Manage'].map((name) => `${name}NewVersion`),
    ];
    const alarms = [...SCENARIOS.map(({ alarm }) => alarm), ...others];

    expect(alarms.toSorted()).toEqual(
      readRunbook()
        .map(({ alarm }) => alarm)
        .toSorted(),
    );
  });
});
