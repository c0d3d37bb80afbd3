import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { MovableClock } from '../clock/movable-clock.ts';
import type { MatchesEvent } from '../events/event-pattern.ts';
import { type InvokeFunction, PAYLOAD_LIMIT } from '../lambda/function-declaration.ts';
import { messageOf } from '../local-error.ts';
import { discardedBatchMessage } from './discarded-batch.ts';
import type { RunningMapping } from './event-source-mapping.ts';
import { type DiscardedBatch, type StreamBatchRules, workThroughBatch } from './stream-batch.ts';
import { type StreamRecord, streamRecord } from './stream-event.ts';

/** A mapping of a DynamoDB stream as the template declares it. */
export interface StreamMappingDeclaration extends StreamBatchRules {
  readonly logicalId: string;
  readonly streamArn: string;
  readonly functionNameOrArn: string;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  readonly batchSize: number;
  readonly batchingWindowMs: number;
  /** How many batches of a shard are worked on at once; what happens to one item stays in order. */
  readonly parallelizationFactor: number;
  /** Records that fit none are left out; undefined for all. */
  readonly filters: readonly MatchesEvent[] | undefined;
  readonly onFailureQueueArn: string | undefined;
}

/** What a mapping works with. */
export interface StreamMappingSurroundings {
  readonly streams: DynamoDBStreamsClient;
  readonly sqs: SQSClient;
  readonly queueUrl: (arn: string) => string;
  readonly region: string;
  readonly functionArn: string;
  readonly invoke: InvokeFunction;
  readonly clock: MovableClock;
  readonly warn: (message: string) => void;
}

/** Lambda asks each shard four times a second; the emulator is nearer. */
const LOOK_INTERVAL_MS = 100;
const MAX_RECORDS = 1000;

/**
 * Feeds a stream's records to a function, in order within each shard.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Polling and batching streams"
 */
export const startStreamMapping = (
  declaration: StreamMappingDeclaration,
  surroundings: StreamMappingSurroundings,
): RunningMapping => {
  const { streams, warn, clock, region } = surroundings;
  const { logicalId, streamArn, filters } = declaration;
  const stop = new AbortController();
  const stopped = stop.signal;
  const sleep = (ms: number) => pause(ms, undefined, { signal: stopped }).catch(() => undefined);

  const readShard = async (shardId: string): Promise<void> => {
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shardId,
        ShardIteratorType: declaration.startingPosition,
      }),
    );
    let iterator = ShardIterator;
    let waiting: StreamRecord[] = [];
    let windowEnd: number | undefined;
    while (!stopped.aborted && iterator !== undefined) {
      const { Records = [], NextShardIterator } = await streams.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: MAX_RECORDS }),
        { abortSignal: stopped },
      );
      iterator = NextShardIterator;
      const records = Records.map((record) => streamRecord(record, streamArn, region, clock.offsetMs));
      waiting.push(...records.filter((record) => filters?.some((matches) => matches(record)) ?? true));
      if (waiting.length === 0) {
        if (records.length === 0) await sleep(LOOK_INTERVAL_MS);
        continue;
      }
      windowEnd ??= performance.now() + declaration.batchingWindowMs;
      if (waiting.length < declaration.batchSize && performance.now() < windowEnd) {
        await sleep(Math.min(LOOK_INTERVAL_MS, windowEnd - performance.now()));
        continue;
      }
      windowEnd = undefined;
      for (const batch of batchesOf(waiting, declaration.batchSize)) await work(batch, shardId);
      waiting = [];
    }
  };

  const work = async (batch: readonly StreamRecord[], shardId: string): Promise<void> => {
    const discard = (discarded: DiscardedBatch) => tellDiscarded(declaration, surroundings, shardId, discarded);
    const { invoke } = surroundings;
    const lanes = lanesOf(batch, declaration.parallelizationFactor);
    await Promise.all(
      lanes.map((lane) => workThroughBatch(lane, declaration, { invoke, now: clock.now, stopped, discard })),
    );
  };

  const read = async (): Promise<void> => {
    const known = new Map<string, Promise<void>>();
    while (!stopped.aborted) {
      try {
        const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
        for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
          if (!known.has(ShardId)) known.set(ShardId, readShard(ShardId));
        }
        // A shard that ends by itself has children; until one does there is nothing to look for.
        if (known.size > 0) await Promise.race(known.values());
        else await sleep(LOOK_INTERVAL_MS);
      } catch (error) {
        if (stopped.aborted) return;
        warn(`${logicalId}: the stream did not answer (${messageOf(error)}); asking again in a second.`);
        await sleep(1000);
      }
    }
    await Promise.allSettled(known.values());
  };

  const ended = read();
  return { stop: () => stop.abort(), ended };
};

/** Batches that an invocation can carry: Lambda, too, makes them smaller where the records are large. */
const batchesOf = (records: readonly StreamRecord[], batchSize: number): readonly StreamRecord[][] => {
  const batches: StreamRecord[][] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    const current = batches.at(-1);
    if (current === undefined || current.length === batchSize || bytes + size > PAYLOAD_LIMIT - ENVELOPE_BYTES) {
      batches.push([record]);
      bytes = size;
    } else {
      current.push(record);
      bytes += size;
    }
  }
  return batches;
};

const ENVELOPE_BYTES = 100;

/** Parts a batch so that the records of one item are in one lane, in order. */
const lanesOf = (records: readonly StreamRecord[], factor: number): readonly (readonly StreamRecord[])[] => {
  if (factor === 1) return [records];
  const lanes = Map.groupBy(records, ({ dynamodb }) => {
    const key = JSON.stringify(dynamodb.Keys);
    return [...key].reduce((hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 0) % factor;
  });
  return [...lanes.values()];
};

const tellDiscarded = async (
  { logicalId, streamArn, onFailureQueueArn }: StreamMappingDeclaration,
  { sqs, queueUrl, functionArn, clock, warn }: StreamMappingSurroundings,
  shardId: string,
  discarded: DiscardedBatch,
): Promise<void> => {
  const count = discarded.records.length;
  warn(`${logicalId}: ${count} record(s) of the stream were given up: ${discarded.condition}.`);
  if (onFailureQueueArn === undefined) return;
  const message = discardedBatchMessage(discarded, { functionArn, streamArn, shardId, now: clock.now() });
  await sqs.send(
    new SendMessageCommand({ QueueUrl: queueUrl(onFailureQueueArn), MessageBody: JSON.stringify(message) }),
  );
};
