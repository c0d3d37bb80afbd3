import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type DynamoDbCase, type DynamoDbTools, SOURCES } from './dynamodb-case.ts';
import { outcomeOf } from './write-cases.ts';

const A = { pk: 'a', sk: 'a' };

const remove = ({ client, tableName }: DynamoDbTools) =>
  client.send(new DeleteItemCommand({ TableName: tableName, Key: marshall(A) }));

const namesOf = async ({ records }: DynamoDbTools) => (await records()).map(({ eventName }) => eventName);

/** Cases about streams. */
export const STREAM_CASES: readonly DynamoDbCase[] = [
  {
    name: 'streams: have a record of each change with both images, in order',
    source: SOURCES.streams,
    async observe(tools) {
      await tools.put({ ...A, b: 1 });
      await tools.update({ UpdateExpression: 'SET b = :b', values: { ':b': 2 } });
      await remove(tools);
      return (await tools.records()).map(({ eventName, dynamodb }) => ({
        eventName,
        keys: dynamodb?.Keys && unmarshall(dynamodb.Keys),
        before: dynamodb?.OldImage && unmarshall(dynamodb.OldImage),
        after: dynamodb?.NewImage && unmarshall(dynamodb.NewImage),
      }));
    },
    expected: [
      { eventName: 'INSERT', keys: A, after: { ...A, b: 1 } },
      { eventName: 'MODIFY', keys: A, before: { ...A, b: 1 }, after: { ...A, b: 2 } },
      { eventName: 'REMOVE', keys: A, before: { ...A, b: 2 } },
    ],
  },
  {
    name: 'streams: have the fields that Lambda passes on, with ascending sequence numbers',
    source: SOURCES.streams,
    async observe(tools) {
      await tools.put(A);
      await tools.put({ ...A, b: 1 });
      const records = await tools.records();
      const [record] = records;
      const numbers = records.map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? 0));
      return {
        fields: Object.keys(record ?? {}).toSorted(),
        source: record?.eventSource,
        view: record?.dynamodb?.StreamViewType,
        details: Object.keys(record?.dynamodb ?? {}).toSorted(),
        isTimely: Math.abs(Date.now() - (record?.dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0)) < 600_000,
        isAscending: (numbers[0] ?? 0n) < (numbers[1] ?? 0n),
      };
    },
    expected: {
      fields: ['awsRegion', 'dynamodb', 'eventID', 'eventName', 'eventSource', 'eventVersion'],
      source: 'aws:dynamodb',
      view: 'NEW_AND_OLD_IMAGES',
      details: ['ApproximateCreationDateTime', 'Keys', 'NewImage', 'SequenceNumber', 'SizeBytes', 'StreamViewType'],
      isTimely: true,
      isAscending: true,
    },
  },
  {
    name: 'streams: a write that changes nothing has no record',
    source: SOURCES.streams,
    async observe(tools) {
      await tools.put({ ...A, b: 1, members: new Set(['one']) });
      await tools.put({ ...A, b: 1, members: new Set(['one']) });
      await tools.update({ UpdateExpression: 'SET b = :b REMOVE c', values: { ':b': 1 } });
      await tools.update({ UpdateExpression: 'ADD members :one', values: { ':one': new Set(['one']) } });
      return namesOf(tools);
    },
    expected: ['INSERT'],
  },
  {
    name: 'streams: neither a failed condition nor the deletion of a missing item has a record',
    source: SOURCES.streams,
    async observe(tools) {
      await remove(tools);
      const failed = { UpdateExpression: 'SET b = :b', ConditionExpression: 'attribute_exists(pk)' };
      const outcome = await outcomeOf(tools.update({ ...failed, values: { ':b': 1 } }));
      return [outcome, await namesOf(tools)];
    },
    expected: ['ConditionalCheckFailedException', []],
  },
];
