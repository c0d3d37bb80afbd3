import { setTimeout as pause } from 'node:timers/promises';
import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { MovableClock } from '../clock.ts';
import type { MatchesEvent } from '../emulators/event-pattern.ts';
import type { InvokeFunction } from '../functions/invocation.ts';
import { messageOf } from '../local-error.ts';
import type { RunningMapping } from './queue-mapping.ts';
import { createShardReader } from './shard-reader.ts';
import { type DiscardedBatch, discardedBatchMessage, processBatch, type StreamBatchRules } from './stream-batch.ts';
import { type StreamRecord, streamRecord, toBatches, toParallelParts } from './stream-records.ts';

/** An event source mapping of a table's stream, as the template declares it. */
export interface StreamMappingDeclaration extends StreamBatchRules {
  readonly logicalId: string;
  readonly streamArn: string;
  readonly functionNameOrArn: string;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  readonly batchSize: number;
  readonly batchingWindowMs: number;
  /** How many batches of a shard are processed at once; the changes of one item stay in order. */
  readonly parallelizationFactor: number;
  /** The function receives a record that matches one of these; undefined for all records. */
  readonly filters: readonly MatchesEvent[] | undefined;
  readonly onFailureQueueArn: string | undefined;
}

export interface StreamMappingContext {
  readonly streams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  readonly onFailureQueueUrl: string | undefined;
  readonly functionArn: string;
  readonly invoke: InvokeFunction;
  readonly clock: MovableClock;
  readonly warn: (message: string) => void;
}

/** Lambda polls each shard four times a second; the emulator can be polled more often. */
const POLL_MS = 100;
const RETRY_DELAY_MS = 1_000;

/**
 * Starts feeding a stream's records to a function, in order within each shard.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Polling and batching streams"
 */
export const startStreamMapping = (
  declaration: StreamMappingDeclaration,
  context: StreamMappingContext,
): RunningMapping => {
  const { streams, invoke, warn, clock } = context;
  const { logicalId, streamArn, filters, batchSize, parallelizationFactor } = declaration;
  const stop = new AbortController();
  const stopped = stop.signal;
  const sleep = (ms: number) => pause(ms, undefined, { signal: stopped }).catch(() => undefined);

  const processRecords = async (batch: readonly StreamRecord[], shardId: string): Promise<void> => {
    const discard = (discarded: DiscardedBatch) => reportDiscarded(declaration, context, shardId, discarded);
    const batchContext = { invoke, now: clock.now, stopped, discard };
    const parts = toParallelParts(batch, parallelizationFactor);
    await Promise.all(parts.map((part) => processBatch(part, declaration, batchContext)));
  };

  const retryLater = async (error: unknown): Promise<void> => {
    if (stopped.aborted) return;
    warn(`${logicalId}: the stream did not answer (${messageOf(error)}). Retrying in a second.`);
    await sleep(RETRY_DELAY_MS);
  };

  const readShard = async (shardId: string): Promise<void> => {
    const { startingPosition, batchingWindowMs } = declaration;
    const reader = createShardReader(streams, { streamArn, shardId, startingPosition });
    let waiting: readonly StreamRecord[] = [];
    let windowEnd: number | undefined;

    const step = async (): Promise<void> => {
      const read = reader.ended ? [] : await reader.read(stopped);
      const records = read.map((record) => streamRecord(record, streamArn, clock.offsetMs));
      waiting = [...waiting, ...records.filter((record) => filters?.some((matches) => matches(record)) ?? true)];
      if (waiting.length === 0) {
        if (records.length === 0 && !reader.ended) await sleep(POLL_MS);
        return;
      }
      windowEnd ??= performance.now() + batchingWindowMs;
      if (waiting.length < batchSize && performance.now() < windowEnd) {
        await sleep(Math.min(POLL_MS, windowEnd - performance.now()));
        return;
      }
      windowEnd = undefined;
      for (const batch of toBatches(waiting, batchSize)) {
        await processRecords(batch, shardId);
        waiting = waiting.slice(batch.length);
      }
    };

    while (!stopped.aborted && !(reader.ended && waiting.length === 0)) await step().catch(retryLater);
  };

  const readStream = async (): Promise<void> => {
    const started = new Set<string>();
    const reading = new Map<string, Promise<void>>();
    const startNewShards = async (): Promise<void> => {
      const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
      for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
        if (started.has(ShardId)) continue;
        started.add(ShardId);
        reading.set(
          ShardId,
          readShard(ShardId).then(() => void reading.delete(ShardId)),
        );
      }
    };
    while (!stopped.aborted) {
      await startNewShards().catch(retryLater);
      // New shards appear when a known one ends.
      if (reading.size > 0) await Promise.race(reading.values());
      else await sleep(POLL_MS);
    }
    await Promise.all(reading.values());
  };

  return { stop: () => stop.abort(), ended: readStream() };
};

const reportDiscarded = async (
  { logicalId, streamArn }: StreamMappingDeclaration,
  { sqs, onFailureQueueUrl, functionArn, clock, warn }: StreamMappingContext,
  shardId: string,
  discarded: DiscardedBatch,
): Promise<void> => {
  warn(`${logicalId}: discarded ${discarded.records.length} stream record(s): ${discarded.condition}.`);
  if (onFailureQueueUrl === undefined) return;
  const message = discardedBatchMessage(discarded, { functionArn, streamArn, shardId }, clock.now());
  await sqs.send(new SendMessageCommand({ QueueUrl: onFailureQueueUrl, MessageBody: JSON.stringify(message) }));
};
