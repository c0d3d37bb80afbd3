import { type ContractCase, FIFO, SOURCES } from './contract-case.ts';
import type { ContractQueue } from './contract-queue.ts';

const inGroup = (group: string, id?: string) => ({ MessageGroupId: group, MessageDeduplicationId: id });

/** Sends to two groups with one deduplication id; returns what arrives. */
const sendToTwoGroups = async (queue: ContractQueue): Promise<readonly string[]> => {
  for (const group of ['a', 'b', 'a', 'b']) await queue.send(group, inGroup(group, 'same'));
  return (await queue.bodies()).toSorted();
};

/** How a FIFO queue recognizes messages that are sent twice. */
export const DEDUPLICATION_CASES: readonly ContractCase[] = [
  {
    name: "deduplication: a repeated send returns the first message's id, and adds no message",
    source: SOURCES.exactlyOnce,
    async observe({ queue }) {
      const one = await queue(FIFO);
      const first = await one.send('first', inGroup('a', 'id'));
      const second = await one.send('second', inGroup('a', 'id'));
      return { isFirst: first === second, bodies: await one.bodies() };
    },
    expected: { isFirst: true, bodies: ['first'] },
  },
  {
    name: 'deduplication: an id counts after its message was received and deleted',
    source: SOURCES.sendMessage,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.send('first', inGroup('a', 'id'));
      const [message] = await one.receive();
      await one.delete(message);
      await one.send('second', inGroup('a', 'id'));
      return one.bodies();
    },
    expected: [],
  },
  {
    name: 'deduplication: an id counts for five minutes',
    source: SOURCES.exactlyOnce,
    async observe({ queue, pass }) {
      const one = await queue(FIFO);
      const repeatedEarly = await queue(FIFO);
      for (const each of [one, repeatedEarly]) await each.send('first', inGroup('a', 'id'));
      await pass(285);
      await repeatedEarly.send('second', inGroup('a', 'id'));
      await pass(16);
      await one.send('second', inGroup('a', 'id'));
      return [await repeatedEarly.bodies(), await one.bodies()];
    },
    expected: [['first'], ['first', 'second']],
  },
  {
    name: 'deduplication: an id is unique in the queue by default',
    source: SOURCES.highThroughput,
    observe: async ({ queue }) => sendToTwoGroups(await queue(FIFO)),
    expected: ['a'],
  },
  {
    name: 'deduplication: an id is unique in its group with the scope messageGroup',
    source: SOURCES.highThroughput,
    observe: async ({ queue }) => sendToTwoGroups(await queue({ ...FIFO, DeduplicationScope: 'messageGroup' })),
    expected: ['a', 'b'],
  },
  {
    name: 'deduplication: by content, the body counts and the attributes do not; a given id wins',
    source: SOURCES.exactlyOnce,
    async observe({ queue }) {
      const one = await queue({ ...FIFO, ContentBasedDeduplication: 'true' });
      await one.send('same', inGroup('a'));
      const attribute = { x: { DataType: 'String', StringValue: 'x' } };
      await one.send('same', { ...inGroup('a'), MessageAttributes: attribute });
      await one.send('same', inGroup('a', 'id'));
      return one.bodies();
    },
    expected: ['same', 'same'],
  },
];
