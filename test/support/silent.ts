import type { Log, MetricName, Metrics } from '../../lambdas/ports.ts';

const silent = () => undefined;

export const silentLog: Log = { info: silent, warn: silent, error: silent };
export const silentMetrics: Metrics = { count: silent, flush: silent };

/** Remembers what was counted. */
export const countingMetrics = (): Metrics & { readonly counted: MetricName[] } => {
  const counted: MetricName[] = [];
  return { counted, count: (name) => counted.push(name), flush: silent };
};
