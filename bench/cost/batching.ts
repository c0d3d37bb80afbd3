import { ASSUMPTIONS } from './assumptions.ts';

/** How an event source mapping collects records into batches. */
export interface Batching {
  readonly batchSize: number;
  readonly windowSeconds: number;
}

/**
 * Returns how many times a function is invoked per second for a stream's records, which arrive at random.
 *
 * Without a batching window, every poll of a shard that finds a record invokes the function. With a window, the first
 * record starts it, and the function is invoked at its end or with a full batch.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Polling and batching streams"
 */
export const invocationsPerSecond = (recordsPerSecond: number, { batchSize, windowSeconds }: Batching): number => {
  if (recordsPerSecond === 0) return 0;
  const { streamShards, pollsPerSecond } = ASSUMPTIONS;
  const perShard = recordsPerSecond / streamShards;
  const withRecords = pollsPerSecond * (1 - Math.exp(-perShard / pollsPerSecond));
  const windows = 1 / (windowSeconds + 1 / perShard);
  return streamShards * Math.max(perShard / batchSize, windowSeconds === 0 ? withRecords : windows);
};
