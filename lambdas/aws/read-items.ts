import { BatchGetItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ItemKey } from './table-keys.ts';

/**
 * Reads items as they stand at this moment, in the order of their keys, in one call; undefined for one that is not there.
 *
 * The user's message of a moment ago opens the window: an eventually consistent read could refuse what is allowed.
 */
export const readItems = async (
  client: DynamoDBClient,
  tableName: string,
  keys: readonly ItemKey[],
): Promise<readonly (Record<string, unknown> | undefined)[]> => {
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0) {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: tableName, Key: marshall(only), ConsistentRead: true }),
    );
    return [Item && unmarshall(Item)];
  }
  const { Responses, UnprocessedKeys } = await client.send(
    new BatchGetItemCommand({
      RequestItems: { [tableName]: { Keys: keys.map((key) => marshall(key)), ConsistentRead: true } },
    }),
  );
  // The whole call succeeds even when the table was throttled for a part of it.
  // Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
  if (Object.keys(UnprocessedKeys ?? {}).length > 0) throw new Error('DynamoDB left a part of the read undone.');
  const found = (Responses?.[tableName] ?? []).map((item) => unmarshall(item));
  return keys.map(({ pk, sk }) => found.find((item) => item.pk === pk && item.sk === sk));
};
