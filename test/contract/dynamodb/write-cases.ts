import { DeleteItemCommand, TransactionCanceledException, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type CaseUpdate, type DynamoDbCase, type DynamoDbTools, SOURCES } from './dynamodb-case.ts';

const A = { pk: 'a', sk: 'a' };

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));

/** Returns `accepted`, or the name of the error that refuses a request. */
export const outcomeOf = (request: Promise<unknown>): Promise<string> => request.then(() => 'accepted', nameOf);

const outcomes = async (
  { update }: DynamoDbTools,
  updates: Readonly<Record<string, CaseUpdate>>,
): Promise<Readonly<Record<string, string>>> => {
  const results: [string, string][] = [];
  for (const [name, one] of Object.entries(updates)) results.push([name, await outcomeOf(update(one))]);
  return Object.fromEntries(results);
};

/** Returns the error of an update with its item, if it carries one. */
const conflictOf = async ({ update }: DynamoDbTools, change: CaseUpdate): Promise<unknown> => {
  try {
    return (await update(change)) ?? 'written';
  } catch (error) {
    const item = error instanceof Error && 'Item' in error ? error.Item : undefined;
    return { error: nameOf(error), item: typeof item === 'object' && item ? unmarshall({ ...item }) : undefined };
  }
};

/** Updates the items `a a` and `b b` in one transaction. Returns why each write failed, if it did. */
const transact = async ({ client, tableName }: DynamoDbTools, conditions: readonly [string?, string?]) => {
  const TransactItems = ['a', 'b'].map((name, index) => ({
    Update: {
      TableName: tableName,
      Key: marshall({ pk: name, sk: name }),
      UpdateExpression: 'ADD members :one',
      ConditionExpression: conditions[index],
      ExpressionAttributeValues: marshall({ ':one': new Set(['one']) }),
    },
  }));
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems }));
    return 'written';
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) return nameOf(error);
    return error.CancellationReasons?.map(({ Code }) => Code);
  }
};

const SET_B = { UpdateExpression: 'SET b = :b', values: { ':b': 2 } };

/** Cases about writes. */
export const WRITE_CASES: readonly DynamoDbCase[] = [
  {
    name: 'transactions: write all items, or none and say which condition failed',
    source: SOURCES.transactions,
    async observe(tools) {
      const absent = 'attribute_not_exists(members)';
      const present = 'attribute_exists(members)';
      return {
        second: await transact(tools, [absent, present]),
        nothing: [await tools.get('a'), await tools.get('b')],
        written: await transact(tools, [absent, absent]),
        first: await transact(tools, [absent, present]),
        both: await transact(tools, [absent, absent]),
        items: [await tools.get('a'), await tools.get('b')],
        records: (await tools.records()).map(({ eventName }) => eventName),
      };
    },
    expected: {
      second: ['None', 'ConditionalCheckFailed'],
      nothing: [null, null],
      written: 'written',
      first: ['ConditionalCheckFailed', 'None'],
      both: ['ConditionalCheckFailed', 'ConditionalCheckFailed'],
      items: [
        { ...A, members: new Set(['one']) },
        { pk: 'b', sk: 'b', members: new Set(['one']) },
      ],
      records: ['INSERT', 'INSERT'],
    },
  },
  {
    name: 'conditions: a failed condition returns the current item, if there is one and ALL_OLD is requested',
    source: SOURCES.updateItem,
    async observe(tools) {
      const change = { ...SET_B, ConditionExpression: 'c = :b' };
      const all = { ...change, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
      const missing = await conflictOf(tools, all);
      await tools.put({ ...A, b: 1 });
      return {
        missing,
        all: await conflictOf(tools, all),
        none: await conflictOf(tools, change),
        item: await tools.get('a'),
      };
    },
    expected: {
      missing: { error: 'ConditionalCheckFailedException' },
      all: { error: 'ConditionalCheckFailedException', item: { ...A, b: 1 } },
      none: { error: 'ConditionalCheckFailedException' },
      item: { ...A, b: 1 },
    },
  },
  {
    name: 'updates: create a missing item, and return the requested values',
    source: SOURCES.updateItem,
    async observe({ update, get }) {
      return [
        await update({ ...SET_B, ReturnValues: 'NONE' }),
        await update({ ...SET_B, ReturnValues: 'ALL_NEW' }),
        await get('a'),
      ];
    },
    expected: [null, { ...A, b: 2 }, { ...A, b: 2 }],
  },
  {
    name: 'updates: ALL_OLD returns nothing of an item that the update creates',
    source: SOURCES.updateItem,
    observe: async ({ update }) => (await update({ ...SET_B, ReturnValues: 'ALL_OLD' })) ?? 'nothing',
    expected: 'nothing',
  },
  {
    name: 'updates: if_not_exists keeps a value, and counts from an operand',
    source: SOURCES.updateExpressions,
    async observe({ update, get }) {
      const UpdateExpression = 'SET b = if_not_exists(b, :value), c = if_not_exists(c, :zero) + :one';
      for (const value of ['first', 'second'])
        await update({ UpdateExpression, values: { ':value': value, ':zero': 0, ':one': 1 } });
      return get('a');
    },
    expected: { ...A, b: 'first', c: 2 },
  },
  {
    name: 'updates: every operand has the value from before the update',
    source: SOURCES.updateExpressions,
    async observe({ put, update, get }) {
      await put({ ...A, b: 1, c: 2 });
      await update({ UpdateExpression: 'SET b = c, c = b' });
      return get('a');
    },
    expected: { ...A, b: 2, c: 1 },
  },
  {
    name: 'updates: removing a missing attribute has no effect, and creates an item with its key',
    source: SOURCES.updateExpressions,
    async observe({ update, get }) {
      await update({ UpdateExpression: 'REMOVE b' });
      return get('a');
    },
    expected: A,
  },
  {
    name: 'updates: an attribute can be named once, and a key cannot be changed',
    source: SOURCES.updateItem,
    observe: (tools) =>
      outcomes(tools, {
        twice: { UpdateExpression: 'SET b = :b, b = :b', values: { ':b': 1 } },
        'set and removed': { UpdateExpression: 'SET b = :b REMOVE b', values: { ':b': 1 } },
        key: { UpdateExpression: 'SET sk = :b', values: { ':b': 'b' } },
      }),
    expected: { twice: 'ValidationException', 'set and removed': 'ValidationException', key: 'ValidationException' },
  },
  {
    name: 'sets: ADD creates a set and adds members once; DELETE of the last member removes the attribute',
    source: SOURCES.updateExpressions,
    async observe({ update, get }) {
      const add = (...members: readonly string[]) =>
        update({ UpdateExpression: 'ADD b :b', values: { ':b': new Set(members) } });
      await add('one');
      await add('two', 'one');
      const added = await get('a');
      await update({ UpdateExpression: 'DELETE b :b', values: { ':b': new Set(['one', 'two']) } });
      return [added?.b instanceof Set ? [...added.b].toSorted() : added, await get('a')];
    },
    expected: [['one', 'two'], A],
  },
  {
    name: 'sets: must not be empty, and ADD refuses an attribute of another type',
    source: SOURCES.types,
    async observe(tools) {
      await tools.put({ ...A, text: 'x' });
      const values = { ':b': new Set(['one']) };
      return {
        empty: await outcomeOf(
          tools.update({ UpdateExpression: 'SET b = :b', ExpressionAttributeValues: { ':b': { SS: [] } } }),
        ),
        'another type': await outcomeOf(
          tools.update({ UpdateExpression: 'ADD #text :b', values, ExpressionAttributeNames: { '#text': 'text' } }),
        ),
      };
    },
    expected: { empty: 'ValidationException', 'another type': 'ValidationException' },
  },
  {
    name: 'conditions: contains finds members of sets and parts of strings, and nothing in a missing attribute',
    source: SOURCES.conditions,
    async observe(tools) {
      await tools.put({ ...A, members: new Set(['one']), line: 'one two' });
      const names = { '#members': 'members', '#line': 'line', '#none': 'none' };
      const holds = async (name: keyof typeof names, text: string) =>
        outcomeOf(
          tools.update({
            UpdateExpression: 'SET c = :c',
            ConditionExpression: `contains(${name}, :text)`,
            ExpressionAttributeNames: { [name]: names[name] },
            values: { ':c': 1, ':text': text },
          }),
        );
      return [
        await holds('#members', 'one'),
        await holds('#members', 'on'),
        await holds('#line', 'two'),
        await holds('#none', 'one'),
      ];
    },
    expected: ['accepted', 'ConditionalCheckFailedException', 'accepted', 'ConditionalCheckFailedException'],
  },
  {
    name: 'conditions: values of different types are not ordered',
    source: SOURCES.conditions,
    async observe(tools) {
      await tools.put({ ...A, count: '10' });
      const names = { ExpressionAttributeNames: { '#count': 'count' } };
      const change = { UpdateExpression: 'SET c = :one', values: { ':one': 1 }, ...names };
      return outcomes(tools, {
        above: { ...change, ConditionExpression: '#count > :one' },
        below: { ...change, ConditionExpression: '#count < :one' },
        different: { ...change, ConditionExpression: '#count <> :one' },
      });
    },
    expected: {
      above: 'ConditionalCheckFailedException',
      below: 'ConditionalCheckFailedException',
      different: 'accepted',
    },
  },
  {
    name: 'conditions: strings are ordered by their UTF-8 bytes',
    source: SOURCES.types,
    async observe(tools) {
      // UTF-16, which JavaScript compares, has the opposite order.
      await tools.put({ ...A, line: '\uffe0' });
      const change = { UpdateExpression: 'SET c = :emoji', values: { ':emoji': '🎉' } };
      return outcomeOf(tools.update({ ...change, ConditionExpression: 'line < :emoji' }));
    },
    expected: 'accepted',
  },
  {
    name: 'requests: every name and value must be declared and used, and reserved words need a placeholder',
    source: SOURCES.names,
    observe: (tools) =>
      outcomes(tools, {
        'undeclared value': { UpdateExpression: 'SET b = :b' },
        'undeclared name': { UpdateExpression: 'SET #b = :b', values: { ':b': 1 } },
        'unused value': { ...SET_B, values: { ':b': 1, ':c': 1 } },
        'unused name': { ...SET_B, ExpressionAttributeNames: { '#c': 'c' } },
        'no values': { UpdateExpression: 'REMOVE b', values: {} },
        'reserved word': { UpdateExpression: 'SET state = :b', values: { ':b': 1 } },
        placeholder: {
          UpdateExpression: 'SET #state = :b',
          values: { ':b': 1 },
          ExpressionAttributeNames: { '#state': 'state' },
        },
      }),
    expected: {
      'undeclared value': 'ValidationException',
      'undeclared name': 'ValidationException',
      'unused value': 'ValidationException',
      'unused name': 'ValidationException',
      'no values': 'ValidationException',
      'reserved word': 'ValidationException',
      placeholder: 'accepted',
    },
  },
  {
    name: 'deletions: return the item that they delete, and succeed without one if there is no condition',
    source: SOURCES.deleteItem,
    async observe({ client, tableName, put }) {
      await put({ ...A, b: 1 });
      const request = { TableName: tableName, Key: marshall(A), ReturnValues: 'ALL_OLD' as const };
      const remove = async () => {
        const { Attributes } = await client.send(new DeleteItemCommand(request));
        return Attributes ? unmarshall(Attributes) : 'nothing';
      };
      const [deleted, again] = [await remove(), await remove()];
      const conditional = new DeleteItemCommand({ ...request, ConditionExpression: 'attribute_exists(pk)' });
      return { deleted, again, conditional: await outcomeOf(client.send(conditional)) };
    },
    expected: { deleted: { ...A, b: 1 }, again: 'nothing', conditional: 'ConditionalCheckFailedException' },
  },
];
