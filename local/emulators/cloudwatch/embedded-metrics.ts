import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import type { MetricStore } from './metric-store.ts';

const embedded = z.looseObject({
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/**
 * Records the metrics of a log line in the embedded metric format. Ignores every other line.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const recordEmbeddedMetrics = (line: string, store: MetricStore): void => {
  if (!line.includes('"_aws"')) return;
  const { data } = embedded.safeParse(parseJson(line));
  for (const { Namespace: namespace, Dimensions, Metrics } of data?._aws.CloudWatchMetrics ?? []) {
    for (const names of Dimensions) {
      const dimensions = Object.fromEntries(names.map((name) => [name, String(data?.[name])]));
      for (const { Name: name } of Metrics) {
        for (const value of numbersIn(data?.[name])) {
          store.record({ namespace, name, dimensions }, value, data?._aws.Timestamp ?? 0);
        }
      }
    }
  }
};

/** A metric is a number, or a list of numbers. */
const numbersIn = (value: unknown): readonly number[] =>
  [value].flat().filter((item): item is number => typeof item === 'number');

/** Returns a stream that records the metrics of a function's output. */
export const createMetricsReader = (store: MetricStore): Writable => {
  const decoder = new StringDecoder();
  let rest = '';
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = `${rest}${decoder.write(chunk)}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) recordEmbeddedMetrics(line, store);
      done();
    },
  });
};
