import { setTimeout as pause } from 'node:timers/promises';
import { type _Record, DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { MovableClock } from '../base/clock.ts';
import { messageOf } from '../base/local-error.ts';
import type { MatchesEvent } from '../emulators/event-pattern.ts';
import type { InvokeFunction } from '../functions/invocation.ts';
import type { RunningMapping } from './queue-mapping.ts';
import { readShard } from './shard-reader.ts';
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
  /** How many batches of a shard to process concurrently. Changes to the same item stay in order. */
  readonly parallelizationFactor: number;
  /** The function receives records that match any of these filters. Undefined for all records. */
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
  /** Receives the age of the last record of each batch that the function is invoked with. @default nothing */
  readonly onInvoke?: ((ageMs: number) => void) | undefined;
  readonly warn: (message: string) => void;
}

/** Lambda polls each shard four times per second. The emulator can be polled more often. */
const POLL_MS = 100;
const RETRY_DELAY_MS = 1_000;

/**
 * Starts passing a stream's records to a function, in order within each shard.
 *
 * A batch is complete at the end of the batching window, or when it reaches the batch size or the size of an invocation.
 *
 * Sources: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Polling and batching streams", and
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventsourcemapping.html, "Batching behavior"
 */
export const startStreamMapping = (
  declaration: StreamMappingDeclaration,
  context: StreamMappingContext,
): RunningMapping => {
  const { streams, warn, clock } = context;
  const { logicalId, streamArn, filters, batchSize, parallelizationFactor } = declaration;
  const stop = new AbortController();
  const stopped = stop.signal;
  const sleep = (ms: number) => pause(ms, undefined, { signal: stopped }).catch(() => undefined);

  const invoke = (records: readonly StreamRecord[]) => {
    const createdAt = records.at(-1)?.dynamodb.ApproximateCreationDateTime;
    if (createdAt !== undefined) context.onInvoke?.(Math.max(0, clock.now().getTime() - createdAt * 1000));
    return context.invoke(JSON.stringify({ Records: records }));
  };

  const processRecords = async (batch: readonly StreamRecord[], shardId: string): Promise<void> => {
    const discard = (discarded: DiscardedBatch) => reportDiscarded(declaration, context, shardId, discarded, stopped);
    const batchContext = { invoke, now: clock.now, stopped, discard };
    const parts = toParallelParts(batch, parallelizationFactor);
    await Promise.all(parts.map((part) => processBatch(part, declaration, batchContext)));
  };

  const toStreamRecord = (record: _Record): StreamRecord => streamRecord(record, streamArn, clock.offsetMs);

  const processShard = async (shardId: string): Promise<void> => {
    const shard = { streamArn, shardId, startingPosition: declaration.startingPosition };
    let waiting: _Record[] = [];
    let windowEnd: number | undefined;
    const processWaiting = async (): Promise<void> => {
      // Records that wait while the clock moves do not become older by it, like records that have not been read.
      const batches = toBatches(waiting.map(toStreamRecord), batchSize);
      waiting = [];
      windowEnd = undefined;
      for (const batch of batches) await processRecords(batch, shardId);
    };

    for await (const found of readShard(shard, { streams, stopped, onFailure: reportFailure })) {
      waiting.push(...found.filter((record) => filters?.some((matches) => matches(toStreamRecord(record))) ?? true));
      if (waiting.length === 0) {
        if (found.length === 0) await sleep(POLL_MS);
        continue;
      }
      windowEnd ??= performance.now() + declaration.batchingWindowMs;
      const restMs = windowEnd - performance.now();
      const isFull = waiting.length >= batchSize || toBatches(waiting.map(toStreamRecord), batchSize).length > 1;
      if (isFull || restMs <= 0) await processWaiting();
      else await sleep(Math.min(POLL_MS, restMs));
    }
    // A shard can end within the batching window.
    await processWaiting();
  };

  const reportFailure = (error: unknown): void =>
    warn(`${logicalId}: the stream did not respond (${messageOf(error)}). Retrying in a second.`);

  const readStream = async (): Promise<void> => {
    const known = new Set<string>();
    const open = new Set<Promise<void>>();
    while (!stopped.aborted) {
      try {
        const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
        for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
          if (known.has(ShardId)) continue;
          known.add(ShardId);
          const shard: Promise<void> = processShard(ShardId).finally(() => open.delete(shard));
          open.add(shard);
        }
        // New shards appear when a known one ends.
        if (open.size > 0) await Promise.race(open);
        else await sleep(POLL_MS);
      } catch (error) {
        if (stopped.aborted) break;
        reportFailure(error);
        await sleep(RETRY_DELAY_MS);
      }
    }
    await Promise.all(open);
  };

  return { stop: () => stop.abort(), ended: readStream() };
};

const reportDiscarded = async (
  { logicalId, streamArn }: StreamMappingDeclaration,
  { sqs, onFailureQueueUrl, functionArn, clock, warn }: StreamMappingContext,
  shardId: string,
  discarded: DiscardedBatch,
  stopped: AbortSignal,
): Promise<void> => {
  warn(`${logicalId}: discarded ${discarded.records.length} stream record(s): ${discarded.condition}.`);
  if (onFailureQueueUrl === undefined) return;
  const message = discardedBatchMessage(discarded, { functionArn, streamArn, shardId }, clock.now());
  const command = new SendMessageCommand({ QueueUrl: onFailureQueueUrl, MessageBody: JSON.stringify(message) });
  // The message is the only trace of the records, so it is sent again until the queue accepts it.
  while (!stopped.aborted) {
    try {
      await sqs.send(command);
      return;
    } catch (error) {
      warn(`${logicalId}: the on-failure queue did not respond (${messageOf(error)}). Retrying in a second.`);
      await pause(RETRY_DELAY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }
};
