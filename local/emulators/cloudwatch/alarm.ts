import type { MetricIdentity, MetricStore, Statistic } from './metric-store.ts';

/** A metric, and how the values of a period become a data point. */
export interface MetricStatistic {
  readonly metric: MetricIdentity;
  readonly statistic: Statistic;
}

/** An alarm as the template declares it. */
export interface Alarm {
  readonly name: string;
  readonly arn: string;
  readonly description: string;
  /** A data point is the highest of these; one without values counts as 0 if there are several. */
  readonly highestOf: readonly MetricStatistic[];
  readonly periodMs: number;
  /** A data point that is at least this breaches. */
  readonly threshold: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: 'notBreaching' | 'breaching' | 'ignore';
}

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Returns an alarm's state at the end of a minute.
 *
 * - The window slides: at each evaluation, the newest period ends now. An alarm that looks back for more than a day is
 *   evaluated only at the end of an hour.
 * - `datapointsToAlarm` of the data points must breach. Missing ones count as the alarm says. With `ignore`, the state
 *   stays as it is if the others alone do not decide it.
 *
 * CloudWatch looks at some older data points as well if data is missing, and AWS does not document how many, so an alarm
 * can end later there.
 *
 * Sources: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html and
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
export const evaluateAlarm = (alarm: Alarm, store: MetricStore, at: number, current: AlarmState): AlarmState => {
  const { periodMs, threshold, evaluationPeriods, datapointsToAlarm, treatMissingData } = alarm;
  if (periodMs * evaluationPeriods > DAY_MS && at % HOUR_MS !== 0) return current;
  let breaching = 0;
  let missing = 0;
  for (let index = 0; index < evaluationPeriods; index += 1) {
    const value = dataPoint(alarm, store, at - index * periodMs);
    if (value === undefined) missing += 1;
    else if (value >= threshold) breaching += 1;
  }
  switch (treatMissingData) {
    case 'notBreaching':
      return breaching >= datapointsToAlarm ? 'ALARM' : 'OK';
    case 'breaching':
      return breaching + missing >= datapointsToAlarm ? 'ALARM' : 'OK';
    case 'ignore':
      if (breaching >= datapointsToAlarm) return 'ALARM';
      // Not clear: every data point that exists breaches, but there are not enough.
      return missing > 0 && breaching + missing === evaluationPeriods ? current : 'OK';
  }
};

const dataPoint = ({ highestOf, periodMs }: Alarm, store: MetricStore, end: number): number | undefined => {
  const [first, ...others] = highestOf.map(({ metric, statistic }) =>
    store.statistic(metric, statistic, end - periodMs, end),
  );
  return others.length === 0 ? first : Math.max(...[first, ...others].map((value) => value ?? 0));
};
