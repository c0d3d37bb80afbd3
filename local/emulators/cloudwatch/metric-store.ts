/**
 * What identifies a metric: the same name with other dimensions is another metric.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
 */
export interface MetricIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export type Statistic = 'Sum' | 'Minimum' | 'Maximum';

/** The values of all metrics of a run, per minute, in memory. */
export interface MetricStore {
  /** @param at milliseconds since the epoch */
  record(metric: MetricIdentity, value: number, at: number): void;
  /** Returns the statistic of the minutes from `start` until before `end`, or undefined if they have no values. */
  statistic(metric: MetricIdentity, statistic: Statistic, start: number, end: number): number | undefined;
}

export const MINUTE_MS = 60_000;

/** Longer than any alarm looks back: seven days. */
const KEPT_MS = 8 * 24 * 60 * MINUTE_MS;

/** The values of a minute. */
type Minute = Readonly<Record<Statistic, number>>;

export const createMetricStore = (): MetricStore => {
  const metrics = new Map<string, Map<number, Minute>>();
  return {
    record(metric, value, at) {
      const key = keyOf(metric);
      const minutes = metrics.get(key) ?? new Map<number, Minute>();
      metrics.set(key, minutes);
      const start = Math.floor(at / MINUTE_MS) * MINUTE_MS;
      minutes.set(start, add(minutes.get(start), value));
      for (const minute of minutes.keys()) {
        // In the order of their first values, which is nearly that of time.
        if (minute >= start - KEPT_MS) break;
        minutes.delete(minute);
      }
    },
    statistic(metric, statistic, start, end) {
      const minutes = metrics.get(keyOf(metric));
      if (minutes === undefined) return undefined;
      const values: number[] = [];
      for (let minute = start; minute < end; minute += MINUTE_MS) {
        const value = minutes.get(minute)?.[statistic];
        if (value !== undefined) values.push(value);
      }
      return values.length === 0 ? undefined : combine(statistic, values);
    },
  };
};

/** Alarms are evaluated for each minute that a move of the clock skips. */
const keys = new WeakMap<MetricIdentity, string>();

const keyOf = (metric: MetricIdentity): string => {
  const known = keys.get(metric);
  if (known !== undefined) return known;
  const { namespace, name, dimensions } = metric;
  const key = JSON.stringify([namespace, name, Object.entries(dimensions).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  keys.set(metric, key);
  return key;
};

const add = (minute: Minute | undefined, value: number): Minute => ({
  Sum: (minute?.Sum ?? 0) + value,
  Minimum: Math.min(minute?.Minimum ?? value, value),
  Maximum: Math.max(minute?.Maximum ?? value, value),
});

const combine = (statistic: Statistic, values: readonly number[]): number => {
  switch (statistic) {
    case 'Sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'Minimum':
      return Math.min(...values);
    case 'Maximum':
      return Math.max(...values);
  }
};
