import { isDeepStrictEqual } from 'node:util';
import { DescribeTableCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import {
  itemSize,
  type RawItem,
  readUnits,
  readUnitsOf,
  storedBytes,
  type TableShape,
  writeUnits,
} from '../request-units.ts';

/** What a call to DynamoDB is billed for, and what it leaves behind. */
export interface TableUsage {
  readonly writeUnits: number;
  readonly indexWriteUnits: number;
  readonly readUnits: number;
  /** Records on the table's stream: writes that changed something. */
  readonly changes: number;
  readonly storedTableBytes: number;
  readonly storedIndexBytes: number;
}

const NOTHING: TableUsage = {
  writeUnits: 0,
  indexWriteUnits: 0,
  readUnits: 0,
  changes: 0,
  storedTableBytes: 0,
  storedIndexBytes: 0,
};

export const addUsage = (one: TableUsage, other: TableUsage): TableUsage => ({
  writeUnits: one.writeUnits + other.writeUnits,
  indexWriteUnits: one.indexWriteUnits + other.indexWriteUnits,
  readUnits: one.readUnits + other.readUnits,
  changes: one.changes + other.changes,
  storedTableBytes: one.storedTableBytes + other.storedTableBytes,
  storedIndexBytes: one.storedIndexBytes + other.storedIndexBytes,
});

// DynamoDB's JSON protocol, as far as it decides about units. Bytes are in base64 there, and no measured item has any.
const attributes = z.record(
  z.string(),
  z.custom<RawItem[string]>((value) => typeof value === 'object'),
);
const write = z.object({ TableName: z.string(), Key: attributes.optional(), Item: attributes.optional() });
const transaction = z.object({
  TransactItems: z.array(
    z
      .record(z.enum(['Put', 'Update', 'Delete', 'ConditionCheck']), write.optional())
      .transform((item) => Object.values(item).flatMap((one) => one ?? [])),
  ),
});
const batchWrite = z.object({
  RequestItems: z.record(
    z.string(),
    z.array(
      z.object({
        PutRequest: z.object({ Item: attributes }).optional(),
        DeleteRequest: z.object({ Key: attributes }).optional(),
      }),
    ),
  ),
});
const get = z.object({ TableName: z.string(), Key: attributes, ConsistentRead: z.boolean().default(false) });
const batchGet = z.object({
  RequestItems: z.record(
    z.string(),
    z.object({ Keys: z.array(attributes), ConsistentRead: z.boolean().default(false) }),
  ),
});
const query = z.object({ TableName: z.string(), ConsistentRead: z.boolean().default(false) });
const page = z.object({ Items: z.array(attributes).default([]) });

interface Target {
  readonly tableName: string;
  readonly key: RawItem;
}
interface WriteTarget extends Target {
  readonly before: RawItem | undefined;
}
/** What has to be known before a call reaches the table. */
export interface Noted {
  readonly writes: readonly WriteTarget[];
  readonly isTransactional: boolean;
}

/**
 * Counts what calls to DynamoDB are billed for. It reads each item before and after a write, so other writes to the same
 * item must not run at the same time.
 */
export const createTableMeter = (dynamodb: DynamoDBClient) => {
  const shapes = new Map<string, Promise<TableShape>>();
  const describe = async (tableName: string): Promise<TableShape> => {
    const { Table = {} } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
    const names = (schema: readonly { AttributeName?: string | undefined }[] = []) =>
      schema.map(({ AttributeName = '' }) => AttributeName);
    return {
      keys: names(Table.KeySchema),
      indexes: (Table.GlobalSecondaryIndexes ?? []).map(({ IndexName = '', KeySchema, Projection }) => ({
        name: IndexName,
        keys: names(KeySchema),
        projected: Projection?.ProjectionType === 'ALL' ? 'all' : (Projection?.NonKeyAttributes ?? []),
      })),
    };
  };
  const shapeOf = (tableName: string): Promise<TableShape> => {
    const shape = shapes.get(tableName) ?? describe(tableName);
    shapes.set(tableName, shape);
    return shape;
  };
  const read = async ({ tableName, key }: Target): Promise<RawItem | undefined> =>
    (await dynamodb.send(new GetItemCommand({ TableName: tableName, Key: { ...key }, ConsistentRead: true }))).Item;

  const targetOf = async ({ TableName, Key, Item }: z.output<typeof write>): Promise<Target> => {
    if (Key) return { tableName: TableName, key: Key };
    const { keys } = await shapeOf(TableName);
    return {
      tableName: TableName,
      key: Object.fromEntries(Object.entries(Item ?? {}).filter(([name]) => keys.includes(name))),
    };
  };
  const writesOf = (operation: string, body: unknown): readonly z.output<typeof write>[] => {
    if (operation === 'TransactWriteItems') return transaction.parse(body).TransactItems.flat();
    if (operation === 'BatchWriteItem') {
      return Object.entries(batchWrite.parse(body).RequestItems).flatMap(([TableName, requests]) =>
        requests.map(({ PutRequest, DeleteRequest }) => ({
          TableName,
          Item: PutRequest?.Item,
          Key: DeleteRequest?.Key,
        })),
      );
    }
    return ['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation) ? [write.parse(body)] : [];
  };

  const usageOfWrite = async ({ before, ...target }: WriteTarget, isTransactional: boolean): Promise<TableUsage> => {
    const [after, shape] = await Promise.all([read(target), shapeOf(target.tableName)]);
    const units = writeUnits({ before, after }, shape, { isTransactional });
    const [old, now] = [storedBytes(before, shape), storedBytes(after, shape)];
    return {
      ...NOTHING,
      writeUnits: units.table,
      indexWriteUnits: units.indexes,
      changes: isDeepStrictEqual(before, after) ? 0 : 1,
      storedTableBytes: now.table - old.table,
      storedIndexBytes: now.indexes - old.indexes,
    };
  };
  const readUnitsOfCall = async (operation: string, body: unknown, answer: unknown): Promise<number> => {
    if (operation === 'GetItem') {
      const { TableName, Key, ConsistentRead } = get.parse(body);
      return readUnits(await read({ tableName: TableName, key: Key }), ConsistentRead ? 'strong' : 'eventual');
    }
    if (operation === 'BatchGetItem') {
      const tables = Object.entries(batchGet.parse(body).RequestItems);
      const units = tables.flatMap(([tableName, { Keys, ConsistentRead }]) =>
        Keys.map(async (key) => readUnits(await read({ tableName, key }), ConsistentRead ? 'strong' : 'eventual')),
      );
      return (await Promise.all(units)).reduce((total, one) => total + one, 0);
    }
    if (operation !== 'Query' && operation !== 'Scan') return 0;
    const bytes = page.parse(answer).Items.reduce((total, item) => total + itemSize(item), 0);
    return readUnitsOf(bytes, query.parse(body).ConsistentRead ? 'strong' : 'eventual');
  };

  return {
    async note(operation: string, body: unknown): Promise<Noted> {
      const targets = await Promise.all(writesOf(operation, body).map(targetOf));
      const writes = await Promise.all(targets.map(async (target) => ({ ...target, before: await read(target) })));
      return { writes, isTransactional: operation === 'TransactWriteItems' };
    },
    async usageOf(operation: string, body: unknown, answer: unknown, noted: Noted): Promise<TableUsage> {
      const writes = await Promise.all(noted.writes.map((one) => usageOfWrite(one, noted.isTransactional)));
      return writes.reduce(addUsage, { ...NOTHING, readUnits: await readUnitsOfCall(operation, body, answer) });
    },
  };
};

export { NOTHING as NO_TABLE_USAGE };
