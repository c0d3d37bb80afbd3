import { FIFO, SOURCES, type SqsCase } from './contract-case.ts';
import type { ContractQueue } from './contract-queue.ts';

const inGroup = (group: string, id?: string) => ({ MessageGroupId: group, MessageDeduplicationId: id });

/** Sends to two groups with the same deduplication id. Returns what arrives. */
const sendToTwoGroups = async (queue: ContractQueue): Promise<readonly string[]> => {
  for (const group of ['a', 'b', 'a', 'b']) await queue.send(group, inGroup(group, 'same'));
  return (await queue.bodies()).toSorted();
};

/** How a FIFO queue recognizes messages that are sent twice. */
export const DEDUPLICATION_CASES: readonly SqsCase[] = [
  {
    name: "deduplication: a repeated send returns the first message's id and adds no message",
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
    name: 'deduplication: an id still applies after its message is received and deleted',
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
    name: 'deduplication: an id applies for five minutes',
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
    name: 'deduplication: by default, an id is unique within the queue',
    source: SOURCES.highThroughput,
    observe: async ({ queue }) => sendToTwoGroups(await queue(FIFO)),
    expected: ['a'],
  },
  {
    name: 'deduplication: with the scope messageGroup, an id is unique within its group',
    source: SOURCES.highThroughput,
    observe: async ({ queue }) => sendToTwoGroups(await queue({ ...FIFO, DeduplicationScope: 'messageGroup' })),
    expected: ['a', 'b'],
  },
  {
    name: 'deduplication: content-based deduplication compares the body, not the attributes; an explicit id takes precedence',
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
