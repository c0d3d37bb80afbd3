import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { MovableClock } from '../clock.ts';
import type { MatchesEvent } from '../emulators/event-pattern.ts';
import type { InvokeFunction } from '../functions/invocation.ts';
import { messageOf } from '../local-error.ts';
import type { RunningMapping } from './queue-mapping.ts';
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
  readonly warn: (message: string) => void;
}

/** Lambda polls each shard four times per second. The emulator can be polled more often. */
const POLL_MS = 100;
const RETRY_DELAY_MS = 1_000;
const MAX_RECORDS = 1000;

/**
 * Starts passing a stream's records to a function, in order within each shard.
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

  const readShard = async (shardId: string): Promise<void> => {
    const start = { StreamArn: streamArn, ShardId: shardId, ShardIteratorType: declaration.startingPosition };
    let iterator = (await streams.send(new GetShardIteratorCommand(start))).ShardIterator;
    let waiting: StreamRecord[] = [];
    let windowEnd: number | undefined;
    while (!stopped.aborted && iterator !== undefined) {
      const { Records = [], NextShardIterator } = await streams.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: MAX_RECORDS }),
        { abortSignal: stopped },
      );
      iterator = NextShardIterator;
      const records = Records.map((record) => streamRecord(record, streamArn, clock.offsetMs));
      waiting.push(...records.filter((record) => filters?.some((matches) => matches(record)) ?? true));
      if (waiting.length === 0) {
        if (records.length === 0) await sleep(POLL_MS);
        continue;
      }
      windowEnd ??= performance.now() + declaration.batchingWindowMs;
      if (waiting.length < batchSize && performance.now() < windowEnd) {
        await sleep(Math.min(POLL_MS, windowEnd - performance.now()));
        continue;
      }
      windowEnd = undefined;
      for (const batch of toBatches(waiting, batchSize)) await processRecords(batch, shardId);
      waiting = [];
    }
  };

  const readStream = async (): Promise<void> => {
    const shards = new Map<string, Promise<void>>();
    while (!stopped.aborted) {
      try {
        const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
        for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
          if (!shards.has(ShardId)) shards.set(ShardId, readShard(ShardId));
        }
        // New shards appear when a known one ends.
        if (shards.size > 0) await Promise.race(shards.values());
        else await sleep(POLL_MS);
      } catch (error) {
        if (stopped.aborted) return;
        warn(`${logicalId}: the stream did not respond (${messageOf(error)}). Retrying in a second.`);
        await sleep(RETRY_DELAY_MS);
      }
    }
    await Promise.allSettled(shards.values());
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
