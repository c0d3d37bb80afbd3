import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../../lambdas/table/item.ts';
import { discardedBatchMessage, processBatch } from '../../../local/event-sources/stream-batch.ts';
import type { InvocationResult } from '../../../local/functions/invocation.ts';
import type { ItemWrite } from '../world/table.ts';
import { hashText } from './draw.ts';
import type { StageContext } from './stage-context.ts';
import type { StageQueue } from './stage-queues.ts';

type Image = Record<string, AttributeValue>;

/** A record of the table's stream, as Lambda passes it to the function. */
export interface TableStreamRecord {
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventSourceARN: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Image;
    readonly SequenceNumber: string;
    readonly OldImage?: Image;
    readonly NewImage?: Image;
  };
}

export interface TableStreamOptions {
  readonly context: StageContext;
  readonly onFailureQueue: Pick<StageQueue, 'put'>;
  readonly invoke: (records: readonly TableStreamRecord[], about: string) => Promise<InvocationResult>;
}

/** The table's stream and its event source mapping. */
export interface TableStream {
  /** Adds a record for a write that changed the item. Returns whether it did. */
  add(write: ItemWrite): boolean;
}

const SHARDS = 2;
const STREAM_ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/parley/stream/simulated';
/** Lambda polls each shard four times per second. */
const MAX_POLL_MS = 250;
const MAX_RETRY_MS = 5 * 60 * 1000;
const NEVER_STOPPED = new AbortController().signal;

/** As the stack declares it. */
const RULES = {
  bisectsOnError: true,
  reportsBatchItemFailures: true,
  maximumRetryAttempts: undefined,
  maximumRecordAgeMs: 12 * 60 * 60 * 1000,
};

/**
 * Creates the stream of a table and passes its records to the function, in order within each shard.
 *
 * An item's records are in one shard. A write that changes nothing has no record.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
 */
export const createTableStream = ({ context, onFailureQueue, invoke }: TableStreamOptions): TableStream => {
  const { clock, features, after, next } = context;
  let sequence = 0;

  const createShard = (shardId: string) => {
    const waiting: TableStreamRecord[] = [];
    let isBusy = false;
    /** How often Lambda has retried since the last batch that was done. */
    let retries = 0;

    const poll = (): void => {
      isBusy = true;
      after(1 + Math.floor(next(`poll ${shardId}`) * MAX_POLL_MS), `poll ${shardId} ${sequence}`, () => {
        const batch = waiting.splice(0, features.batchSize.stream);
        void processBatch(batch, RULES, {
          invoke: (records) => invoke(records, `${shardId} ${records[0]?.dynamodb.SequenceNumber}`),
          now: () => new Date(clock.ms),
          stopped: NEVER_STOPPED,
          async discard(discarded) {
            const origin = { functionArn: 'publish', streamArn: STREAM_ARN, shardId };
            const body = JSON.stringify({
              ...discardedBatchMessage(discarded, origin, new Date(clock.ms)),
              requestContext: { condition: discarded.condition },
            });
            onFailureQueue.put({ body });
          },
          pause(ms) {
            // AWS documents no limit. A limit longer than the local run's makes long outages cheap.
            const longerMs = Math.min(ms * 2 ** Math.min(retries, 16), MAX_RETRY_MS);
            retries += 1;
            return new Promise((resolve) => void after(longerMs, `retry ${shardId}`, resolve));
          },
        }).then(() => {
          isBusy = false;
          retries = 0;
          if (waiting.length > 0) poll();
        });
      });
    };
    return (record: TableStreamRecord): void => {
      waiting.push(record);
      if (!isBusy) poll();
    };
  };
  const shards = Array.from({ length: SHARDS }, (_, index) => createShard(shardName(index)));

  return {
    add({ before, after: item }) {
      if (isUnchanged(before, item)) return false;
      const key = item ?? before ?? {};
      sequence += 1;
      // The mapping's filter leaves out deletions, except those of turns.
      if (item === undefined && key.sk !== 'TURN') return true;
      shards[shardOf(key.pk)]?.({
        eventName: item === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
        eventSourceARN: STREAM_ARN,
        dynamodb: {
          ApproximateCreationDateTime: clock.ms / 1000,
          Keys: { pk: { S: String(key.pk) }, sk: { S: String(key.sk) } },
          SequenceNumber: String(sequence).padStart(21, '0'),
          ...(before && { OldImage: imageOf(before) }),
          ...(item && { NewImage: imageOf(item) }),
        },
      });
      return true;
    },
  };
};

const shardOf = (pk: unknown): number => hashText(String(pk)) % SHARDS;
const shardName = (index: number): string => `shardId-${index}`;

/** Returns the shard with the records of the items that have this partition key. */
export const shardIdOf = (pk: unknown): string => shardName(shardOf(pk));

const isUnchanged = (before: Item | undefined, after: Item | undefined): boolean => {
  if (before === undefined || after === undefined) return before === after;
  const names = Object.keys(after);
  return names.length === Object.keys(before).length && names.every((name) => isEqual(before[name], after[name]));
};

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && isDeepStrictEqual(one, other));

/** The image of each item; an item is replaced, never changed. */
const images = new WeakMap<Item, Image>();

const imageOf = (item: Item): Image => {
  const known = images.get(item);
  if (known) return known;
  const image = marshall(item, { removeUndefinedValues: true });
  images.set(item, image);
  return image;
};
