import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse } from 'aws-lambda';
import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import type { StreamRecord } from '../../../lambdas/table/item-changes.ts';
import { serialize } from './serialize.ts';
import { type ItemWrite, nameOf } from './table.ts';
import type { Turns } from './turns.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A process that handles records of a stream. */
export interface StreamProcess {
  readonly name: string;
  handle(records: readonly StreamRecord[], invocation: Invocation): Promise<DynamoDBBatchResponse>;
}

export interface SimulatedStreamOptions {
  readonly clock: VirtualClock;
  readonly turns: Turns;
  readonly batchSize: number;
  /** Which shard has the records of an item. */
  readonly shardOf: (pk: string) => number;
  readonly timeoutMs: number;
  readonly start: (name: string) => StreamProcess;
}

/** The table's stream, and Lambda's event source mapping of it. */
export interface SimulatedStream {
  /** Adds the record of a write. Deletions are left out, except those of turns, as the mapping's filter does. */
  append(write: ItemWrite): void;
  /** Adds a record that a function cannot read. */
  appendUnreadable(pk: string): void;
  /** Every change so far. */
  readonly changes: readonly ItemWrite[];
  /** The keys of the items with records that a function cannot read. */
  readonly unreadable: readonly string[];
  /** How many invocations there were. */
  readonly count: number;
  /** Records that were not processed yet. */
  readonly depth: number;
  /** Starts an invocation for each shard with records and no running invocation. Returns whether it started any. */
  startAll(): boolean;
  /** Forgets the invocation of a process that died. Lambda retries its batch. */
  forget(name: string): void;
  key(): string;
}

interface Shard {
  readonly records: StreamRecord[];
  /** The maximum number of records of the next invocation. */
  size: number;
  running: string | undefined;
}

/**
 * After a failed invocation, Lambda retries the first half of its batch (`BisectBatchOnFunctionError`). After one that
 * reports failures, it continues from the earliest of them (`ReportBatchItemFailures`).
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const createSimulatedStream = (options: SimulatedStreamOptions): SimulatedStream => {
  const { clock, turns, batchSize, shardOf, timeoutMs } = options;
  const shards = new Map<number, Shard>();
  let appended = '';
  const changes: ItemWrite[] = [];
  const unreadable: string[] = [];
  let sequence = 0;
  let count = 0;

  const add = (pk: string, record: StreamRecord): void => {
    const place = shardOf(pk);
    const shard = shards.get(place) ?? { records: [], size: batchSize, running: undefined };
    shards.set(place, shard);
    shard.records.push(record);
  };
  const nextSequence = (): string => {
    sequence += 1;
    return String(sequence).padStart(6, '0');
  };

  const invoke = async (shard: Shard, process: StreamProcess, records: readonly StreamRecord[]): Promise<void> => {
    const { name } = process;
    shard.running = name;
    const startedAt = clock.ms;
    const numbers = records.map(sequenceOf);
    turns.observe(name, `invoked with ${numbers.join()}`);
    const getRemainingTimeInMillis = () => startedAt + timeoutMs - clock.ms;
    const response = await process.handle(records, { getRemainingTimeInMillis }).catch(() => undefined);
    if (shard.running !== name) return;
    shard.running = undefined;
    turns.forget(name);
    if (response === undefined) {
      shard.size = Math.max(1, Math.ceil(records.length / 2));
      return;
    }
    const failed = response.batchItemFailures.map(({ itemIdentifier }) => numbers.indexOf(itemIdentifier ?? ''));
    // Lambda retries the whole batch if it does not know an identifier.
    const done = failed.length === 0 ? records.length : Math.max(0, Math.min(...failed));
    shard.records.splice(0, done);
    shard.size = batchSize;
  };

  return {
    changes,
    unreadable,
    append({ before, after }) {
      const { pk, sk } = after ?? before ?? {};
      appended += `${nameOf({ pk, sk })} ${serialize(after)};`;
      changes.push({ before, after });
      if (after === undefined && sk !== 'TURN') return;
      add(String(pk), {
        eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
        dynamodb: {
          SequenceNumber: nextSequence(),
          ApproximateCreationDateTime: clock.ms / 1000,
          Keys: marshall({ pk, sk }),
          ...(before && { OldImage: imageOf(before) }),
          ...(after && { NewImage: imageOf(after) }),
        },
      });
    },
    appendUnreadable(pk) {
      unreadable.push(pk);
      const unknownType: object = { X: 'y' };
      const NewImage = { pk: { S: pk }, sk: { S: 'SEND' }, state: unknownType };
      // A type of attribute that the function's SDK does not know.
      add(pk, { eventName: 'INSERT', dynamodb: { SequenceNumber: nextSequence(), NewImage } } as StreamRecord);
    },
    get count() {
      return count;
    },
    get depth() {
      return [...shards.values()].reduce((sum, { records }) => sum + records.length, 0);
    },
    startAll() {
      const before = count;
      for (const [place, shard] of shards) {
        if (shard.running !== undefined || shard.records.length === 0) continue;
        const records = shard.records.slice(0, shard.size);
        count += 1;
        void invoke(shard, options.start(`publish${place}.${count}`), records);
      }
      return count > before;
    },
    forget(name) {
      for (const shard of shards.values()) {
        if (shard.running !== name) continue;
        shard.running = undefined;
        shard.size = Math.max(1, Math.ceil(Math.min(shard.size, shard.records.length) / 2));
      }
    },
    key: () =>
      [
        appended,
        count,
        ...[...shards].map(([place, { records, size, running }]) =>
          [place, ...records.map(sequenceOf), size, running].join(' '),
        ),
      ].join('|'),
  };
};

const sequenceOf = ({ dynamodb }: StreamRecord): string => dynamodb?.SequenceNumber ?? '';

const imageOf = (item: Item) => marshall(item, { removeUndefinedValues: true });
