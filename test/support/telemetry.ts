import type { MetricName } from '../../lambdas/domain/metric-names.ts';
import type { Log, Metrics } from '../../lambdas/ports.ts';

const ignore = () => undefined;

export const silentLog: Log = { info: ignore, warn: ignore, error: ignore };
export const silentMetrics: Metrics = { count: ignore };

/** Records what is logged: level, message, and fields. */
export const recordingLog = (): Log & {
  readonly logged: (readonly [keyof Log, string, Record<string, unknown>])[];
} => {
  const logged: (readonly [keyof Log, string, Record<string, unknown>])[] = [];
  const at =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown>): void =>
      void logged.push([level, message, fields]);
  return { logged, info: at('info'), warn: at('warn'), error: at('error') };
};

/** Records what is counted. */
export const recordingMetrics = (): Metrics & { readonly counted: MetricName[] } => {
  const counted: MetricName[] = [];
  return { counted, count: (name) => counted.push(name) };
};
