import type { MetricName } from '../../lambdas/domain/metric-names.ts';
import type { Log, Metrics } from '../../lambdas/ports.ts';

const ignore = () => undefined;

export const silentLog: Log = { info: ignore, warn: ignore, error: ignore };
export const silentMetrics: Metrics = { count: ignore };

/** Records what is counted. */
export const recordingMetrics = (): Metrics & { readonly counted: MetricName[] } => {
  const counted: MetricName[] = [];
  return { counted, count: (name) => counted.push(name) };
};
