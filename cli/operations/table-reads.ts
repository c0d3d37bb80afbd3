import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  QueryCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { nameOf } from '../../lambdas/laws/check-laws.ts';
import { type ItemKey, keyOf, type StoredItem } from '../../lambdas/laws/stored-item.ts';
import { BY_STATE } from '../../lambdas/table/indexes.ts';
import type { Pacer } from './pacer.ts';

export interface TableReads {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
  /** Limits the read capacity that the check uses. */
  readonly pacer: Pacer;
  /** Rejects the read in progress and all later ones. */
  readonly stop?: AbortSignal;
}

/** Small enough to answer Ctrl-C soon, large enough for a full megabyte of small items. */
const PAGE_ITEMS = 2_000;
const BATCH_KEYS = 100;

/** With the pause of the pacer, a table may be throttled for some minutes. */
export const MAX_THROTTLED_CALLS = 100;

const THROTTLED = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'];

export const isThrottled = (error: unknown): boolean => error instanceof Error && THROTTLED.includes(error.name);

/** Makes a call when the pacer permits it, and repeats it more slowly while the table is throttled. */
const paced = async <Output>({ pacer, stop }: TableReads, call: () => Promise<Output>): Promise<Output> => {
  for (let throttled = 1; ; throttled += 1) {
    await pacer.waitForSlot(stop);
    try {
      return await call();
    } catch (error) {
      if (!isThrottled(error) || throttled === MAX_THROTTLED_CALLS) throw error;
      pacer.slowDown();
    }
  }
};

/** The fields that the pages of a scan and of a query share. */
type Page = Pick<ScanCommandOutput, 'Items' | 'LastEvaluatedKey' | 'ConsumedCapacity'>;

/** Reads one page after another until the last one. */
async function* readPages(
  reads: TableReads,
  readPage: (ExclusiveStartKey: Record<string, AttributeValue> | undefined) => Promise<Page>,
): AsyncGenerator<readonly StoredItem[], void> {
  let startKey: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await paced(reads, () => readPage(startKey));
    reads.pacer.use(ConsumedCapacity?.CapacityUnits ?? 0);
    yield Items.map(readItem);
    startKey = LastEvaluatedKey;
  } while (startKey !== undefined);
}

/** Reads all items with eventually consistent reads, which cost half. Candidates are later read again consistently. */
export const scanTable = (reads: TableReads): AsyncGenerator<readonly StoredItem[], void> => {
  const { dynamodb, tableName: TableName, stop: abortSignal } = reads;
  return readPages(reads, (ExclusiveStartKey) =>
    dynamodb.send(
      new ScanCommand({ TableName, Limit: PAGE_ITEMS, ReturnConsumedCapacity: 'TOTAL', ExclusiveStartKey }),
      { abortSignal },
    ),
  );
};

/** Lists the keys of the items in a shard of the index `byState` since a time. */
export const listShard = async (reads: TableReads, shard: string, since: string): Promise<readonly ItemKey[]> => {
  const { dynamodb, tableName: TableName, stop: abortSignal } = reads;
  const query = {
    TableName,
    IndexName: BY_STATE.name,
    KeyConditionExpression: '#partition = :shard AND #sort >= :since',
    ExpressionAttributeNames: { '#partition': BY_STATE.partition, '#sort': BY_STATE.sort },
    ExpressionAttributeValues: marshall({ ':shard': shard, ':since': since }),
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const pages = readPages(reads, (ExclusiveStartKey) =>
    dynamodb.send(new QueryCommand({ ...query, ExclusiveStartKey }), { abortSignal }),
  );
  const keys: ItemKey[] = [];
  for await (const page of pages) keys.push(...page.map(keyOf));
  return keys;
};

/** A number that is too large for JavaScript breaks no law. */
const readItem = (item: Record<string, AttributeValue>): StoredItem => unmarshall(item, { wrapNumbers: Number });

/** Reads items in batches. Adds them to those that are known. */
export const readItems = async (
  reads: TableReads,
  keys: readonly ItemKey[],
  ConsistentRead: boolean,
  known: ReadonlyMap<string, StoredItem> = new Map(),
): Promise<ReadonlyMap<string, StoredItem>> => {
  const { dynamodb, tableName, pacer, stop: abortSignal } = reads;
  const found = new Map(known);
  let pending = [...new Map(keys.map((key) => [nameOf(key), key])).values()].map((key) => marshall({ ...key }));
  while (pending.length > 0) {
    const batch = pending.slice(0, BATCH_KEYS);
    const command = new BatchGetItemCommand({
      RequestItems: { [tableName]: { Keys: batch, ConsistentRead } },
      ReturnConsumedCapacity: 'TOTAL',
    });
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await paced(reads, () =>
      dynamodb.send(command, { abortSignal }),
    );
    const unprocessed = UnprocessedKeys?.[tableName]?.Keys ?? [];
    pacer.use(ConsumedCapacity?.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0) ?? 0);
    for (const item of (Responses?.[tableName] ?? []).map(readItem)) found.set(nameOf(keyOf(item)), item);
    // AWS recommends a pause before the keys that DynamoDB left out; the pacer makes one.
    // Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
    if (unprocessed.length > 0) pacer.slowDown();
    pending = [...unprocessed, ...pending.slice(batch.length)];
  }
  return found;
};
