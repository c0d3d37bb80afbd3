import {
  type AttributeValue,
  BatchGetItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Instant } from '../../lambdas/domain/instant.ts';
import {
  type IsWanted,
  nameOf,
  referencesOf,
  violationsOfItem,
  violationsOfReferences,
} from '../../lambdas/domain/laws/check-laws.ts';
import type { AuditContext, Violation } from '../../lambdas/domain/laws/law.ts';
import { type ItemKey, keyOf, type StoredItem } from '../../lambdas/domain/laws/stored-item.ts';
import type { Pacer } from './pacer.ts';

export interface AuditOptions {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
  readonly now: () => Instant;
  readonly rules: Omit<AuditContext, 'now'>;
  /** Which laws to check. @default all */
  readonly isWanted?: IsWanted;
  /** Limits the read capacity that the audit uses. */
  readonly pacer: Pacer;
  /** Called after each page with the number of items read so far. */
  readonly onProgress?: (read: number) => void;
  /**
   * Pause before a last check of the items that still break a law. An erasure, for example, deletes a message some time
   * before it empties its send.
   */
  readonly recheckAfterMs: number;
  /** Called before that pause with the number of possible violations. */
  readonly onRecheck?: (violations: number) => void;
  readonly sleep: (ms: number, stop?: AbortSignal) => Promise<void>;
  /** Ends the audit early. */
  readonly stop?: AbortSignal;
}

export interface TableAudit {
  readonly table: string;
  /** The number of items read. */
  readonly items: number;
  /** Read capacity units, as DynamoDB reported them. */
  readonly capacityUnits: number;
  readonly violations: readonly Violation[];
  /** `interrupted`: some items were not read. `too-many`: the audit stopped at {@link MAX_CANDIDATES}. */
  readonly end: 'complete' | 'interrupted' | 'too-many';
}

/** Limits the memory for possible violations and the length of the output. */
export const MAX_CANDIDATES = 10_000;

/** Small enough to respond quickly to Ctrl-C, and large enough to read a megabyte of small items at a time. */
const PAGE_ITEMS = 2_000;
const BATCH_KEYS = 100;

/**
 * Checks every item of a table against the laws about stored items, and changes nothing. The table changes while it is
 * read page by page, so an item that seems to break a law is read again with the items that it refers to, and counts
 * only if it still breaks the law. Keeps one page and the keys of the candidates in memory.
 */
export const auditTable = async (options: AuditOptions): Promise<TableAudit> => {
  const { tableName, pacer, isWanted, stop, onProgress = () => {} } = options;
  const candidates = new Map<string, ItemKey>();
  const contextNow = (): AuditContext => ({ ...options.rules, now: options.now() });
  let items = 0;
  let end: TableAudit['end'] = 'complete';
  try {
    for await (const page of scan(options)) {
      const context = contextNow();
      const related = await readRelated(options, page, context, false);
      for (const item of page) {
        if (violationsIn(item, related, context, isWanted).length > 0) candidates.set(nameOf(keyOf(item)), keyOf(item));
      }
      items += page.length;
      onProgress(items);
      if (candidates.size >= MAX_CANDIDATES) {
        end = 'too-many';
        break;
      }
    }
  } catch (error) {
    if (stop?.aborted !== true) throw error;
    end = 'interrupted';
  }
  // An interruption ends only the scan. Checking what was found so far costs few reads.
  const reading = { ...options, stop: undefined };
  let violations = await confirmAll(reading, [...candidates.values()], contextNow());
  if (violations.length > 0 && end !== 'interrupted') {
    options.onRecheck?.(violations.length);
    await options.sleep(options.recheckAfterMs, stop).catch(ignoreAbort(stop));
    violations = await confirmAll(reading, keysIn(violations), contextNow());
  }
  return { table: tableName, items, capacityUnits: Math.ceil(pacer.used()), violations, end };
};

const keysIn = (violations: readonly Violation[]): readonly ItemKey[] => [
  ...new Map(violations.map(({ key }) => [nameOf(key), key])).values(),
];

const ignoreAbort = (stop: AbortSignal | undefined) => (error: unknown) => {
  if (stop?.aborted !== true) throw error;
};

/** Returns the approximate number of items, which DynamoDB updates every six hours. */
export const countItems = async (dynamodb: DynamoDBClient, TableName: string): Promise<number | undefined> => {
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  return Table?.ItemCount;
};

/** Reads eventually consistently, at half the cost. Candidates are read again with consistent reads. */
async function* scan({ dynamodb, tableName, pacer, stop }: AuditOptions): AsyncGenerator<readonly StoredItem[], void> {
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    await pacer.waitForTurn(stop);
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await dynamodb.send(
      new ScanCommand({
        TableName: tableName,
        Limit: PAGE_ITEMS,
        ReturnConsumedCapacity: 'TOTAL',
        ExclusiveStartKey,
      }),
      { abortSignal: stop },
    );
    pacer.use(ConsumedCapacity?.CapacityUnits ?? 0);
    yield Items.map(readItem);
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
}

/** Numbers that are too large for JavaScript do not stop the audit. */
const readItem = (item: Record<string, AttributeValue>): StoredItem => unmarshall(item, { wrapNumbers: Number });

const readRelated = (
  options: AuditOptions,
  items: readonly StoredItem[],
  context: AuditContext,
  isConsistent: boolean,
): Promise<ReadonlyMap<string, StoredItem>> => {
  const onPage = new Map(items.map((item) => [nameOf(keyOf(item)), item]));
  const keys = items.flatMap((item) => referencesOf(item, context, options.isWanted));
  return readAll(
    options,
    keys.filter((key) => !onPage.has(nameOf(key))),
    isConsistent,
    onPage,
  );
};

/** Reads items in batches, and adds them to the known items. */
const readAll = async (
  { dynamodb, tableName, pacer, stop }: AuditOptions,
  keys: readonly ItemKey[],
  ConsistentRead: boolean,
  known: ReadonlyMap<string, StoredItem> = new Map(),
): Promise<ReadonlyMap<string, StoredItem>> => {
  const found = new Map(known);
  let pending = [...new Map(keys.map((key) => [nameOf(key), key])).values()].map((key) => marshall({ ...key }));
  while (pending.length > 0) {
    const batch = pending.slice(0, BATCH_KEYS);
    await pacer.waitForTurn(stop);
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await dynamodb.send(
      new BatchGetItemCommand({
        RequestItems: { [tableName]: { Keys: batch, ConsistentRead } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
      { abortSignal: stop },
    );
    const unprocessed = UnprocessedKeys?.[tableName]?.Keys ?? [];
    pacer.use(ConsumedCapacity?.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0) ?? 0);
    for (const item of (Responses?.[tableName] ?? []).map(readItem)) found.set(nameOf(keyOf(item)), item);
    // AWS recommends a delay before unprocessed keys are retried. The pacer adds one.
    // Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
    if (unprocessed.length > 0) pacer.slowDown();
    pending = [...unprocessed, ...pending.slice(batch.length)];
  }
  return found;
};

const violationsIn = (
  item: StoredItem,
  related: ReadonlyMap<string, StoredItem>,
  context: AuditContext,
  isWanted: IsWanted | undefined,
): readonly Violation[] => [
  ...violationsOfItem(item, context, isWanted),
  ...violationsOfReferences(item, (key) => related.get(nameOf(key)), context, isWanted),
];

/** Reads the candidates again with consistent reads, after the items that they refer to, and checks them. */
const confirmAll = async (
  options: AuditOptions,
  candidates: readonly ItemKey[],
  context: AuditContext,
): Promise<readonly Violation[]> => {
  const confirmed: Violation[] = [];
  for (let start = 0; start < candidates.length; start += BATCH_KEYS) {
    const keys = candidates.slice(start, start + BATCH_KEYS);
    const items = [...(await readAll(options, keys, true)).values()];
    const related = await readRelated(options, items, context, true);
    // Read twice, because a send can be erased together with its message between the two reads.
    const latest = await readAll(
      options,
      items.filter((item) => referencesOf(item, context).length > 0).map(keyOf),
      true,
    );
    for (const item of items) {
      const now = referencesOf(item, context).length > 0 ? latest.get(nameOf(keyOf(item))) : item;
      if (now !== undefined) confirmed.push(...violationsIn(now, related, context, options.isWanted));
    }
  }
  return confirmed;
};
