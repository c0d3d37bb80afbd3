import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { LoggableError } from '../../domain/errors.ts';
import type { Sleep } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import type { ItemKey } from '../../table/keys.ts';
import type { DynamodbClient } from './client.ts';

/** Implements `getAll` of the table. */
export const readItems = async (
  client: DynamodbClient,
  tableName: string,
  keys: readonly ItemKey[],
  sleep: Sleep,
  abortSignal: AbortSignal | undefined,
): Promise<readonly (Item | undefined)[]> => {
  const found = new Map<string, Item>();
  // DynamoDB refuses a call that names a key twice.
  const distinct = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  let pausedMs = 0;
  for (let start = 0; start < distinct.length; start += MAX_BATCH_KEYS) {
    let pending: Record<string, AttributeValue>[] = distinct
      .slice(start, start + MAX_BATCH_KEYS)
      .map((key) => marshall(key));
    // If the table is throttled or the response exceeds 16 MB, DynamoDB returns only part of it. AWS recommends backoff.
    // Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
    let pauseMs = FIRST_PAUSE_MS;
    while (pending.length > 0) {
      const { Responses, UnprocessedKeys } = await client.call(
        'BatchGetItem',
        { RequestItems: { [tableName]: { Keys: pending, ConsistentRead: true } } },
        { abortSignal },
      );
      const items = (Responses?.[tableName] ?? []).map((raw) => unmarshall(raw));
      for (const item of items) found.set(nameOf(item), item);
      pending = UnprocessedKeys?.[tableName]?.Keys ?? [];
      if (pending.length === 0) break;
      if (items.length > 0) pauseMs = FIRST_PAUSE_MS;
      if (pausedMs + pauseMs > MAX_PAUSES_MS) throw new LoggableError('DynamoDB returned only some of the items.');
      await sleep(pauseMs);
      pausedMs += pauseMs;
      pauseMs *= 2;
    }
  }
  return keys.map((key) => found.get(nameOf(key)));
};

const nameOf = ({ pk, sk }: ItemKey | Item): string => `${pk} ${sk}`;

const MAX_BATCH_KEYS = 100;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSES_MS = 2_000;
