import { setTimeout as pause } from 'node:timers/promises';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { InvalidPositionError, ItemBusyError, WriteRefusedError } from '../../domain/errors.ts';
import { expiryAfterDays, type KindOfData, type RetentionDays } from '../../domain/retention.ts';
import type { Sleep } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import type { ItemKey } from '../../table/keys.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import {
  CONDITION_FAILED,
  cancellationCodes,
  conditionFailure,
  type DynamodbClient,
  type InputOf,
  isConflict,
} from './client.ts';
import { type ItemUpdate, namesIn, updateExpressions, valuesOf } from './item-update.ts';
import { readItems } from './read-items.ts';

export interface TableOptions {
  readonly client: DynamodbClient;
  readonly tableName: string;
  /** The number of days until each kind of data expires. */
  readonly retentionDays: RetentionDays;
  /** Ends the call in flight and keeps any other from starting: both reject with an `AbortError`. */
  readonly abortSignal: AbortSignal | undefined;
  /** @default waits */
  readonly sleep?: Sleep;
  /** Spreads retries. @default Math.random */
  readonly random?: () => number;
  /** Milliseconds since any moment. @default performance.now */
  readonly monotonicMs?: () => number;
}

/** The result of a conditional write. */
export type WriteOutcome =
  /** `item` is the item after the write, if requested. */
  | { readonly kind: 'written'; readonly item: Item | undefined }
  /** The condition failed. `item` is the current item, or undefined if there is none. */
  | { readonly kind: 'conflict'; readonly item: Item | undefined };

export interface QueryPage {
  readonly items: readonly Item[];
  readonly next: Item | undefined;
}

/** The conversation table. Every change is a single conditional write, except that of `updateBoth`. */
export interface ConversationTable {
  get(key: ItemKey): Promise<Item | undefined>;
  /**
   * Reads items, 100 per call. Returns them in the order of their keys, which may repeat, with undefined for missing
   * items. Repeats the call for keys that DynamoDB leaves unprocessed, with pauses of at most 2 seconds in total.
   *
   * @throws Error if some keys are still unprocessed.
   */
  getAll(keys: readonly ItemKey[]): Promise<readonly (Item | undefined)[]>;
  /** @throws WriteRefusedError if the table can never accept the item. */
  update(update: ItemUpdate, options?: { readonly returnItem: boolean }): Promise<WriteOutcome>;
  /**
   * Updates two items in one transaction. If a condition does not hold, updates neither, and returns which condition it
   * was. A transaction costs twice as much as the two writes.
   *
   * @throws WriteRefusedError if the table can never accept one of the items.
   * @throws ItemBusyError if other transactions keep writing one of the items.
   */
  updateBoth(first: ItemUpdate, second: ItemUpdate): Promise<'written' | 'first-conflicts' | 'second-conflicts'>;
  /** Deletes an item if the condition holds. Returns whether it deleted one. */
  delete(key: ItemKey, condition: string, values: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** @throws InvalidPositionError if DynamoDB refuses `after`, whose name and values it checks against the index. */
  query(
    query: Omit<InputOf<'Query'>, 'TableName' | 'ExpressionAttributeValues' | 'ExclusiveStartKey'> & {
      readonly values: Readonly<Record<string, unknown>>;
      readonly after?: Item;
    },
  ): Promise<QueryPage>;
  /** Returns when data of a kind with the time `instant` expires, as a DynamoDB TTL: seconds since the epoch. */
  expiryOf(kind: KindOfData, instant: string): number;
}

/** The table without the register of business numbers; functions use `createConversationTable`. */
export const createTable = ({
  client,
  tableName,
  retentionDays,
  abortSignal,
  sleep = pause,
  random = Math.random,
  monotonicMs = () => performance.now(),
}: TableOptions): ConversationTable => {
  /** Retries a write while transactions of other functions write the same item. */
  const write = async <Name extends 'DeleteItem' | 'TransactWriteItems' | 'UpdateItem'>(
    name: Name,
    input: InputOf<Name>,
  ) => {
    const retryBefore = monotonicMs() + MAX_RETRY_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await client.call(name, input, { abortSignal });
      } catch (error) {
        if (!isConflict(error)) throw error;
        const isLast = attempt === MAX_ATTEMPTS || monotonicMs() >= retryBefore;
        if (isLast) throw new ItemBusyError('Other calls keep writing the item.', { cause: error });
        await sleep(Math.min(FIRST_PAUSE_MS * attempt, MAX_CONFLICT_PAUSE_MS) * random());
        abortSignal?.throwIfAborted();
      }
    }
  };
  return {
    async get(key) {
      const { Item: item } = await client.call(
        'GetItem',
        // A window may have just opened. With an eventually consistent read, Parley could refuse an allowed send.
        { TableName: tableName, Key: marshall(key), ConsistentRead: true },
        { abortSignal },
      );
      return item && unmarshall(item);
    },

    getAll: (keys) => readItems(client, tableName, keys, sleep, abortSignal),

    async update(update, { returnItem } = { returnItem: false }) {
      try {
        const { Attributes } = await write('UpdateItem', {
          ...updateExpressions(update),
          TableName: tableName,
          ReturnValues: returnItem ? 'ALL_NEW' : 'NONE',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        });
        return { kind: 'written', item: Attributes && unmarshall(Attributes) };
      } catch (error) {
        const failure = conditionFailure(error);
        if (failure !== undefined) return { kind: 'conflict', item: failure.Item && unmarshall(failure.Item) };
        if (isRefusal(error)) throw refusalOf(error);
        throw error;
      }
    },

    async updateBoth(first, second) {
      const transaction = [first, second].map((update) => ({
        Update: { ...updateExpressions(update), TableName: tableName },
      }));
      try {
        await write('TransactWriteItems', { TransactItems: transaction });
        return 'written';
      } catch (error) {
        const codes = cancellationCodes(error) ?? [];
        if (codes[0] === CONDITION_FAILED) return 'first-conflicts';
        if (codes[1] === CONDITION_FAILED) return 'second-conflicts';
        if (isRefusal(error) || codes.some((code) => REFUSED.has(code))) throw refusalOf(error);
        throw error;
      }
    },

    async delete(key, condition, values) {
      try {
        const { Attributes } = await write('DeleteItem', {
          TableName: tableName,
          Key: marshall(key),
          ConditionExpression: condition,
          ExpressionAttributeNames: namesIn(condition),
          // DynamoDB refuses an empty map.
          ExpressionAttributeValues: Object.keys(values).length === 0 ? undefined : valuesOf(values),
          ReturnValues: 'ALL_OLD',
        });
        return Object.keys(Attributes ?? {}).length > 0;
      } catch (error) {
        if (conditionFailure(error) !== undefined) return false;
        throw error;
      }
    },

    async query({ values, after, ...query }) {
      const input = {
        ...query,
        TableName: tableName,
        ExpressionAttributeValues: valuesOf(values),
        ExclusiveStartKey: after && marshall(after),
      };
      const { Items = [], LastEvaluatedKey } = await client.call('Query', input, { abortSignal }).catch((error) => {
        if (!isRefusal(error) || after === undefined) throw error;
        throw new InvalidPositionError('The table has no such position in the list.', { cause: error });
      });
      return { items: Items.map((item) => unmarshall(item)), next: LastEvaluatedKey && unmarshall(LastEvaluatedKey) };
    },

    expiryOf: (kind, instant) => expiryAfterDays(instant, retentionDays[kind]),
  };
};

/** The codes with which DynamoDB cancels a transaction that it can never accept. */
const REFUSED = new Set(['ValidationError', 'ItemCollectionSizeLimitExceeded']);

const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === 'ValidationException';

/** Replaces DynamoDB's own message, which may quote what was written. */
const refusalOf = (error: unknown): WriteRefusedError => {
  // A cancelled transaction has the reasons of its writes in a separate field.
  const text = error instanceof AwsServiceError ? error.body : String(error);
  const isTooLarge = /\bsize\b/i.test(text);
  return new WriteRefusedError(isTooLarge ? 'The item is too large for the table.' : 'The table refused the item.', {
    cause: error,
  });
};

const FIRST_PAUSE_MS = 25;

/**
 * With these, a write gives up after a third of a second on average. If calls are slow, it gives up earlier than the
 * webhook does, which would treat the table as unavailable for all other events too.
 */
const MAX_ATTEMPTS = 8;
const MAX_CONFLICT_PAUSE_MS = 60;
const MAX_RETRY_MS = 300;
