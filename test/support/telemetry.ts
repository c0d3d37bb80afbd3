import type { MetricName } from '../../lambdas/domain/metric-names.ts';
import type { Log, Metrics } from '../../lambdas/ports.ts';

const ignore = () => undefined;

export const silentLog: Log = { info: ignore, warn: ignore, error: ignore };
export const silentMetrics: Metrics = { count: ignore, record: ignore };

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

/** A value of a metric, and when it was counted. */
interface MetricSample {
  readonly name: MetricName;
  readonly value: number;
  readonly at: string;
}

/** Records what is counted, and every value. */
export const recordingMetrics = (
  now: () => string = () => '',
): Metrics & { readonly counted: MetricName[]; readonly samples: MetricSample[] } => {
  const counted: MetricName[] = [];
  const samples: MetricSample[] = [];
  return {
    counted,
    samples,
    count(name) {
      counted.push(name);
      samples.push({ name, value: 1, at: now() });
    },
    record(name, value) {
      samples.push({ name, value, at: now() });
    },
  };
};
