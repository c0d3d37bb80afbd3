import { z } from 'zod';

/** The properties of an alarm that decide its state. */
export const alarmProperties = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
  Statistic: z.enum(['Sum', 'Minimum', 'Maximum']),
  Period: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number().optional(),
  Threshold: z.number(),
  ComparisonOperator: z.literal('GreaterThanOrEqualToThreshold'),
  TreatMissingData: z.enum(['notBreaching', 'breaching', 'ignore']),
});

export type AlarmProperties = z.output<typeof alarmProperties>;
export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** A value of a metric. */
export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value: number;
}

/** Whether a data point breaches the threshold, or undefined if it is missing. */
export type DataPoint = boolean | undefined;

type Rules = Pick<AlarmProperties, 'EvaluationPeriods' | 'DatapointsToAlarm' | 'TreatMissingData'>;

/**
 * Returns an alarm's state after an evaluation, as CloudWatch documents it.
 *
 * - CloudWatch retrieves more data points than the alarm's evaluation periods: those of the evaluation range.
 * - If there are enough of them, it evaluates the most recent ones, however old. Otherwise, all of them count, and it
 *   treats as many missing ones as necessary as the alarm says.
 * - With `ignore`, the state stays as it is, if the data points alone do not decide it.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 *
 * @param points the data points of the evaluation range, oldest first
 */
export const evaluate = (rules: Rules, points: readonly DataPoint[], current: AlarmState): AlarmState => {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, TreatMissingData } = rules;
  const real = points.filter((point) => point !== undefined).slice(-EvaluationPeriods);
  const breaching = real.filter((isBreaching) => isBreaching).length;
  const missing = EvaluationPeriods - real.length;
  const filled = breaching + (TreatMissingData === 'breaching' ? missing : 0);
  if (filled >= DatapointsToAlarm) return 'ALARM';
  const isUnclear = TreatMissingData === 'ignore' && missing > 0 && breaching === real.length;
  return isUnclear ? current : 'OK';
};

const MINUTE_MS = 60_000;

/**
 * Returns the changes of an alarm's state. CloudWatch evaluates an alarm every minute.
 *
 * @param extraPeriods how many data points more than its evaluation periods CloudWatch retrieves, which AWS does not
 * document
 */
export const alarmHistory = (
  alarm: AlarmProperties,
  samples: readonly Sample[],
  { from, until, extraPeriods }: { readonly from: number; readonly until: number; readonly extraPeriods: number },
): readonly { readonly at: number; readonly state: AlarmState }[] => {
  const periodMs = alarm.Period * 1000;
  const history: { at: number; state: AlarmState }[] = [];
  let state: AlarmState = 'INSUFFICIENT_DATA';
  for (let at = from; at <= until; at += MINUTE_MS) {
    const points = Array.from({ length: alarm.EvaluationPeriods + extraPeriods }, (_, index) => {
      const end = at - index * periodMs;
      return dataPoint(alarm, samples, end - periodMs, end);
    }).toReversed();
    const next = evaluate(alarm, points, state);
    if (next !== state) history.push({ at, state: next });
    state = next;
  }
  return history;
};

const dataPoint = (
  { Statistic, Threshold }: AlarmProperties,
  samples: readonly Sample[],
  start: number,
  end: number,
): DataPoint => {
  const values = samples.filter(({ at }) => at >= start && at < end).map(({ value }) => value);
  if (values.length === 0) return undefined;
  switch (Statistic) {
    case 'Sum':
      return values.reduce((sum, value) => sum + value) >= Threshold;
    case 'Minimum':
      return Math.min(...values) >= Threshold;
    case 'Maximum':
      return Math.max(...values) >= Threshold;
  }
};
