import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { TableEmulator } from '../../support/emulated-table.ts';
import type { DynamoDbCase, DynamoDbTools } from './dynamodb-case.ts';

/** An implementation of DynamoDB. */
export interface DynamoDbImplementation extends Disposable {
  /** Runs a case on a new table. Returns what it observed, or the error that it failed with. */
  readonly observe: (one: DynamoDbCase) => Promise<unknown>;
}

export const connectToDynamoDb = ({ url, schema }: Pick<TableEmulator, 'url' | 'schema'>): DynamoDbImplementation => {
  const config = {
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  };
  const client = new DynamoDBClient(config);
  const streams = new DynamoDBStreamsClient(config);

  const createTools = async (): Promise<DynamoDbTools> => {
    const tableName = `contract-${randomUUID()}`;
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const };
    await client.send(new CreateTableCommand({ ...schema, StreamSpecification, TableName: tableName }));
    return {
      client,
      tableName,
      async put(item) {
        const Item = marshall(item, { removeUndefinedValues: true });
        await client.send(new PutItemCommand({ TableName: tableName, Item }));
      },
      async update({ values, ...request }) {
        const Key = marshall({ pk: 'a', sk: 'a' });
        const command = {
          TableName: tableName,
          Key,
          ...(values && { ExpressionAttributeValues: marshall(values) }),
          ...request,
        };
        const { Attributes } = await client.send(new UpdateItemCommand(command));
        return Attributes && unmarshall(Attributes);
      },
      async get(pk) {
        const command = { TableName: tableName, Key: marshall({ pk, sk: pk }), ConsistentRead: true };
        const { Item } = await client.send(new GetItemCommand(command));
        return Item && unmarshall(Item);
      },
      async records() {
        const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
        return readStream(streams, Table?.LatestStreamArn ?? '');
      },
    };
  };

  return {
    async observe(one) {
      try {
        return await one.observe(await createTools());
      } catch (error) {
        return { failed: error instanceof Error ? error.name : String(error) };
      }
    },
    [Symbol.dispose]() {
      client.destroy();
      streams.destroy();
    },
  };
};

const readStream = async (streams: DynamoDBStreamsClient, StreamArn: string): Promise<readonly _Record[]> => {
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const records: _Record[] = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const start = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
    let { ShardIterator } = await streams.send(start);
    // An open shard always has a next iterator.
    for (let found = 1; ShardIterator !== undefined && found > 0; ) {
      const read = await streams.send(new GetRecordsCommand({ ShardIterator }));
      found = read.Records?.length ?? 0;
      records.push(...(read.Records ?? []));
      ShardIterator = read.NextShardIterator;
    }
  }
  return records;
};
