import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DescribeStreamCommand, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { readShard } from '../../../../local/event-sources/shard-reader.ts';
import { testTables } from '../../../support/test-tables.ts';

const tables = testTables();

it('leaves out the records of writes that change nothing, which DynamoDB does not write', async () => {
  const streams = new DynamoDBStreamsClient({ endpoint: tables.url, region: REGION, credentials: CREDENTIALS });
  onTestFinished(() => streams.destroy());
  const TableName = 'read-by-shard';
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const };
  const { schema } = inject('tableEmulator');
  const created = await tables.client.send(new CreateTableCommand({ ...schema, StreamSpecification, TableName }));
  const streamArn = created.TableDescription?.LatestStreamArn ?? '';
  for (const b of [1, 1, 2, 2]) {
    const Item = marshall({ pk: 'a', sk: 'a', b, members: new Set(['one']) });
    await tables.client.send(new PutItemCommand({ TableName, Item }));
  }
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const shard = {
    streamArn,
    shardId: StreamDescription?.Shards?.[0]?.ShardId,
    startingPosition: 'TRIM_HORIZON',
  } as const;
  const stop = new AbortController();

  const names: (string | undefined)[] = [];
  for await (const records of readShard(shard, { streams, stopped: stop.signal, onFailure: () => undefined })) {
    names.push(...records.map(({ eventName }) => eventName));
    if (records.length === 0) stop.abort();
  }

  expect(names).toEqual(['INSERT', 'MODIFY']);
});
