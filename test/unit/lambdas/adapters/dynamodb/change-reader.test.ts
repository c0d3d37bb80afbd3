import { randomUUID } from 'node:crypto';
import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { createAwsJsonClient } from '../../../../../lambdas/adapters/aws-json-client.ts';
import {
  createDynamodbChangeReader,
  DYNAMODB_STREAMS,
} from '../../../../../lambdas/adapters/dynamodb/change-reader.ts';
import { systemClock } from '../../../../../lambdas/runtime/system.ts';
import { messageKey } from '../../../../../lambdas/table/keys.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { inboundImage } from '../../domain/events/changes.ts';

const { url: endpoint, schema } = inject('tableEmulator');
const tables = testTables();
const access = {
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: undefined },
};
const streams = new DynamoDBStreamsClient(access);
afterAll(() => streams.destroy());

/** Stores messages with these ids in a new table. Returns the table, its stream, and the shard with the sequence numbers. */
const storeMessages = async (ids: readonly string[]) => {
  const TableName = `changes-${randomUUID()}`;
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const };
  const created = await tables.client.send(new CreateTableCommand({ ...schema, TableName, StreamSpecification }));
  for (const id of ids) {
    const Item = marshall({ ...messageKey(id), ...inboundImage() }, { removeUndefinedValues: true });
    await tables.client.send(new PutItemCommand({ TableName, Item }));
  }
  const StreamArn = created.TableDescription?.LatestStreamArn ?? '';
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId ?? '';
  const start = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
  const { ShardIterator } = await streams.send(start);
  const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
  const numbers = Records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
  return { TableName, range: { streamArn: StreamArn, shardId: ShardId }, numbers };
};

describe("the reader of a table's changes", () => {
  it('reads the changes between two sequence numbers, and no others', async () => {
    const { TableName, range, numbers } = await storeMessages(['before', 'first', 'last', 'after']);
    const reader = createDynamodbChangeReader({
      table: tables.tableOf(TableName),
      streams: createAwsJsonClient(DYNAMODB_STREAMS, { ...access, maxAttempts: 1, requestHandler: {} }),
      clock: systemClock,
    });
    const [, start = '', end = ''] = numbers;

    const read = await reader.readRange({ ...range, start, end, count: 2 });

    const changes = ['first', 'last'].map((id) => ({ key: JSON.stringify([messageKey(id).pk, messageKey(id).sk]) }));
    expect(read).toMatchObject({ kind: 'read', unreadable: 0, changes });
  });
});
