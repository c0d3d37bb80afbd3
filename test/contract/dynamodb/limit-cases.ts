import { type DynamoDbCase, type DynamoDbTools, SOURCES } from './dynamodb-case.ts';
import { outcomeOf } from './write-cases.ts';

const A = { pk: 'a', sk: 'a' };
const MAX_ITEM_BYTES = 400 * 1024;
/** The key of the item `a a` has two names of two bytes and two values of one. */
const KEY_BYTES = 6;

/** Returns the result of an update that writes a string of this many bytes, and whether its error mentions the size. */
const writeBytes = async ({ update }: DynamoDbTools, bytes: number): Promise<string> => {
  try {
    await update({ UpdateExpression: 'SET b = :b', values: { ':b': 'x'.repeat(bytes) } });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    // The adapter recognizes items that are too large by this word.
    return `${error.name}${/\bsize\b/i.test(error.message) ? ', which names the size' : ''}`;
  }
};

const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) });

/** The limits of DynamoDB that Parley can reach. */
export const LIMIT_CASES: readonly DynamoDbCase[] = [
  {
    name: 'limits: an item has at most 400 KB, including the names of its attributes',
    source: SOURCES.limits,
    observe: async (tools) => [
      await writeBytes(tools, MAX_ITEM_BYTES - KEY_BYTES - 1),
      await writeBytes(tools, MAX_ITEM_BYTES - KEY_BYTES),
    ],
    expected: ['accepted', 'ValidationException, which names the size'],
  },
  {
    name: 'limits: characters count as their UTF-8 bytes',
    source: SOURCES.itemSize,
    async observe({ put }) {
      const characters = Math.floor(MAX_ITEM_BYTES / 3);
      return [
        await outcomeOf(put({ ...A, b: '日'.repeat(characters - 3) })),
        await outcomeOf(put({ ...A, b: '日'.repeat(characters) })),
      ];
    },
    expected: ['accepted', 'ValidationException'],
  },
  {
    name: 'limits: partition keys have at most 2,048 bytes, and sort keys 1,024',
    source: SOURCES.limits,
    async observe({ put }) {
      const results: string[] = [];
      for (const [pk, sk] of [
        [2048, 1024],
        [2049, 1],
        [1, 1025],
      ] as const)
        results.push(await outcomeOf(put({ pk: 'x'.repeat(pk), sk: 'x'.repeat(sk) })));
      return results;
    },
    expected: ['accepted', 'ValidationException', 'ValidationException'],
  },
  {
    name: 'limits: the keys of an index have the same limits',
    source: SOURCES.limits,
    async observe({ put }) {
      const results: string[] = [];
      for (const [contact, contactSort] of [
        [2048, 1024],
        [2049, 1],
        [1, 1025],
      ] as const)
        results.push(
          await outcomeOf(put({ ...A, contact: 'x'.repeat(contact), contactSort: 'x'.repeat(contactSort) })),
        );
      return results;
    },
    expected: ['accepted', 'ValidationException', 'ValidationException'],
  },
  {
    name: 'limits: an attribute may be an empty string, but a key may not, nor the key of an index',
    source: SOURCES.types,
    observe: async ({ put }) => [
      await outcomeOf(put({ ...A, b: '' })),
      await outcomeOf(put({ pk: '', sk: 'a' })),
      await outcomeOf(put({ ...A, contact: '', contactSort: 'a' })),
    ],
    expected: ['accepted', 'ValidationException', 'ValidationException'],
  },
  {
    name: 'limits: the key of an index must have the type that the table declares',
    source: SOURCES.indexes,
    observe: async ({ put }) => outcomeOf(put({ ...A, contact: 1, contactSort: 'a' })),
    expected: 'ValidationException',
  },
  {
    name: 'limits: an expression has at most 4 KB',
    source: SOURCES.limits,
    async observe({ update }) {
      const withLength = (length: number) => {
        const condition = 'attribute_not_exists(c)';
        return outcomeOf(
          update({
            UpdateExpression: 'SET b = :b',
            values: { ':b': 1 },
            ConditionExpression: condition + ' '.repeat(length - condition.length),
          }),
        );
      };
      return [await withLength(4096), await withLength(4097)];
    },
    expected: ['accepted', 'ValidationException'],
  },
  {
    name: 'limits: maps are nested up to 32 levels deep',
    source: SOURCES.limits,
    async observe({ put }) {
      return [await outcomeOf(put({ ...A, b: nested(31) })), await outcomeOf(put({ ...A, b: nested(33) }))];
    },
    expected: ['accepted', 'ValidationException'],
  },
  {
    name: 'limits: numbers have up to 38 digits of precision',
    source: SOURCES.types,
    async observe({ update }) {
      const write = (N: string) =>
        outcomeOf(update({ UpdateExpression: 'SET b = :b', ExpressionAttributeValues: { ':b': { N } } }));
      return [await write('1'.repeat(38)), await write('1'.repeat(39)), await write('1e126'), await write('one')];
    },
    expected: ['accepted', 'ValidationException', 'ValidationException', 'ValidationException'],
  },
];
