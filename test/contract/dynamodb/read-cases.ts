import { BatchGetItemCommand, DeleteItemCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type DynamoDbCase, type DynamoDbTools, SOURCES } from './dynamodb-case.ts';
import { outcomeOf } from './write-cases.ts';

const keyOf = (pk: string) => marshall({ pk, sk: pk });

const listed = (pk: string, contactSort: string) => ({
  pk,
  sk: pk,
  contact: 'one',
  contactSort,
  body: 'not projected',
});

const query = async ({ client, tableName }: DynamoDbTools, changes: Partial<QueryCommandInput> = {}) => {
  const { Items = [], LastEvaluatedKey } = await client.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: 'byContact',
      KeyConditionExpression: 'contact = :contact',
      ExpressionAttributeValues: marshall({ ':contact': 'one' }),
      ...changes,
    }),
  );
  return { names: Items.map(({ pk }) => pk?.S), items: Items.map((item) => unmarshall(item)), next: LastEvaluatedKey };
};

const putAll = async ({ put }: DynamoDbTools, names: Readonly<Record<string, string>>): Promise<void> => {
  for (const [pk, contactSort] of Object.entries(names)) await put(listed(pk, contactSort));
};

/** Cases about reads. */
export const READ_CASES: readonly DynamoDbCase[] = [
  {
    name: 'indexes: return the projected attributes of items that have both keys, in the order of the sort key',
    source: SOURCES.indexes,
    async observe(tools) {
      await putAll(tools, { b: '2', c: '3', a: '1' });
      await tools.put({ pk: 'sparse', sk: 'sparse', contact: 'one' });
      await tools.put({ pk: 'other', sk: 'other', contact: 'other', contactSort: '1' });
      const { items, names } = await query(tools);
      return [names, items[0], (await query(tools, { ScanIndexForward: false })).names];
    },
    expected: [['a', 'b', 'c'], { pk: 'a', sk: 'a', contact: 'one', contactSort: '1' }, ['c', 'b', 'a']],
  },
  {
    name: 'indexes: an item leaves the index with its key',
    source: SOURCES.indexes,
    async observe(tools) {
      await putAll(tools, { a: '1', b: '2' });
      await tools.update({ UpdateExpression: 'REMOVE contactSort' });
      return (await query(tools)).names;
    },
    expected: ['b'],
  },
  {
    name: 'indexes: a sort key matches a prefix, or a range with both of its ends',
    source: SOURCES.query,
    async observe(tools) {
      await putAll(tools, { a: 'M#1', b: 'M#2', c: 'M#3', d: 'S#1' });
      const with_ = (condition: string, values: Readonly<Record<string, string>>) =>
        query(tools, {
          KeyConditionExpression: `contact = :contact AND ${condition}`,
          ExpressionAttributeValues: marshall({ ':contact': 'one', ...values }),
        });
      return [
        (await with_('begins_with(contactSort, :prefix)', { ':prefix': 'M#' })).names,
        (await with_('contactSort BETWEEN :from AND :until', { ':from': 'M#2', ':until': 'S#1' })).names,
      ];
    },
    expected: [
      ['a', 'b', 'c'],
      ['b', 'c', 'd'],
    ],
  },
  {
    name: 'indexes: are ordered by the UTF-8 bytes of their sort key',
    source: SOURCES.query,
    async observe(tools) {
      await putAll(tools, { emoji: '🎉', wide: '\uffe0', upper: 'Z', lower: 'a' });
      return (await query(tools)).names;
    },
    expected: ['upper', 'lower', 'wide', 'emoji'],
  },
  {
    name: 'pages: a position has the keys of the index and of the table, and a full page has one even at the end',
    source: SOURCES.pagination,
    async observe(tools) {
      await putAll(tools, { a: '1', b: '2' });
      const first = await query(tools, { Limit: 2 });
      const rest = await query(tools, { Limit: 2, ExclusiveStartKey: first.next });
      const all = await query(tools, { Limit: 3 });
      return [first.names, first.next, rest.names, rest.next, all.next].map((value) => value ?? 'none');
    },
    expected: [
      ['a', 'b'],
      { contact: { S: 'one' }, contactSort: { S: '2' }, pk: { S: 'b' }, sk: { S: 'b' } },
      [],
      'none',
      'none',
    ],
  },
  {
    name: 'pages: continue after a position whose item was deleted, in both directions',
    source: SOURCES.pagination,
    async observe(tools) {
      await putAll(tools, { a: '1', b: '2', c: '3' });
      const [up, down] = [true, false];
      const { next } = await query(tools, { Limit: 2, ScanIndexForward: up });
      const { next: back } = await query(tools, { Limit: 2, ScanIndexForward: down });
      await tools.client.send(new DeleteItemCommand({ TableName: tools.tableName, Key: keyOf('b') }));
      return [
        (await query(tools, { ExclusiveStartKey: next, ScanIndexForward: up })).names,
        (await query(tools, { ExclusiveStartKey: back, ScanIndexForward: down })).names,
      ];
    },
    expected: [['c'], ['a']],
  },
  {
    name: 'pages: items with equal sort keys are returned once over all pages',
    source: SOURCES.pagination,
    async observe(tools) {
      const names = Array.from({ length: 7 }, (_, index) => `item-${index}`);
      await putAll(tools, Object.fromEntries(names.map((name) => [name, 'same'])));
      const found: (string | undefined)[] = [];
      let next: QueryCommandInput['ExclusiveStartKey'];
      do {
        const page = await query(tools, { Limit: 2, ExclusiveStartKey: next });
        found.push(...page.names);
        next = page.next;
      } while (next !== undefined);
      return found.toSorted();
    },
    expected: Array.from({ length: 7 }, (_, index) => `item-${index}`),
  },
  {
    name: 'pages: a position without the keys of the index is refused',
    source: SOURCES.query,
    observe: async (tools) => outcomeOf(query(tools, { ExclusiveStartKey: keyOf('a') })),
    expected: 'ValidationException',
  },
  {
    name: 'reads: a global index has no consistent reads',
    source: SOURCES.consistency,
    observe: async (tools) => outcomeOf(query(tools, { ConsistentRead: true })),
    expected: 'ValidationException',
  },
  {
    name: 'batches: return up to 100 items in any order, leave out missing ones, and refuse a key that is given twice',
    source: SOURCES.batchGetItem,
    async observe({ client, tableName, put }) {
      const names = Array.from({ length: 101 }, (_, index) => `item-${index}`);
      for (const name of names.slice(0, 99)) await put({ pk: name, sk: name });
      const read = (keys: readonly string[]) =>
        client.send(
          new BatchGetItemCommand({
            RequestItems: { [tableName]: { Keys: keys.map(keyOf), ConsistentRead: true } },
          }),
        );
      const { Responses, UnprocessedKeys } = await read(names.slice(0, 100));
      return {
        found: Responses?.[tableName]?.length,
        unprocessed: UnprocessedKeys,
        tooMany: await outcomeOf(read(names)),
        twice: await outcomeOf(read(['item-0', 'item-0'])),
      };
    },
    expected: { found: 99, unprocessed: {}, tooMany: 'ValidationException', twice: 'ValidationException' },
  },
  {
    name: 'reads: a table that does not exist has its own error',
    source: SOURCES.query,
    observe: async (tools) => outcomeOf(query({ ...tools, tableName: 'no-such-table' })),
    expected: 'ResourceNotFoundException',
  },
];
