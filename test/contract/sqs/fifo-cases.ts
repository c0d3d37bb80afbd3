import { FIFO, SOURCES, type SqsCase } from './contract-case.ts';
import { outcomeOf, systemAttribute } from './contract-queue.ts';

const digits = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => `a${String(from + index).padStart(2, '0')}`);

/** What a FIFO queue does with the messages of a group. */
export const FIFO_CASES: readonly SqsCase[] = [
  {
    name: 'FIFO: a receive returns up to ten messages of one group, in order',
    source: SOURCES.fifoLogic,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', ...digits(0, 12));
      return one.bodies();
    },
    expected: digits(0, 10),
  },
  {
    name: 'FIFO: a receive with room left adds messages of other groups',
    source: SOURCES.fifoLogic,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0', 'a1');
      await one.sendToGroup('b', 'b0', 'b1');
      return one.bodies();
    },
    expected: ['a0', 'a1', 'b0', 'b1'],
  },
  {
    name: 'FIFO: a receive returns as many messages of one group as it can before those of another group',
    source: SOURCES.fifoLogic,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0');
      await one.sendToGroup('b', 'b0');
      await one.sendToGroup('a', 'a1');
      return one.bodies({ max: 2 });
    },
    expected: ['a0', 'a1'],
  },
  {
    name: 'FIFO: the rest of a group waits while one of its messages is in flight',
    source: SOURCES.fifoLogic,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0', 'a1', 'a2', 'a3');
      const [first, second] = await one.receive({ max: 2 });
      const whileBothInFlight = await one.bodies();
      await one.delete(first);
      const whileOneInFlight = await one.bodies();
      await one.delete(second);
      return { whileBothInFlight, whileOneInFlight, afterwards: await one.bodies() };
    },
    expected: { whileBothInFlight: [], whileOneInFlight: [], afterwards: ['a2', 'a3'] },
  },
  {
    name: 'FIFO: other groups are received while a group is in flight',
    source: SOURCES.fifoLogic,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0', 'a1');
      await one.sendToGroup('b', 'b0');
      return [await one.bodies({ max: 1 }), await one.bodies()];
    },
    expected: [['a0'], ['b0']],
  },
  {
    name: 'FIFO: messages released with a visibility timeout of 0 are received again in order, each with one more receive',
    source: SOURCES.visibility,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0', 'a1', 'a2');
      for (const message of await one.receive()) await one.changeVisibility(message, 0);
      const again = await one.receive();
      return again.map((message) => [message.Body, systemAttribute(message, 'ApproximateReceiveCount')]);
    },
    expected: [
      ['a0', '2'],
      ['a1', '2'],
      ['a2', '2'],
    ],
  },
  {
    name: 'FIFO: after the visibility timeout, a group starts again with its first message',
    source: SOURCES.visibility,
    async observe({ queue, pass }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0', 'a1', 'a2');
      const [first] = await one.receive({ max: 2, visibilitySeconds: 20 });
      await one.delete(first);
      await pass(21);
      return one.bodies();
    },
    expected: ['a1', 'a2'],
  },
  {
    name: 'FIFO: a receipt handle expires with the visibility timeout, for deletions and for visibility changes',
    source: SOURCES.receiptHandleErrors,
    async observe({ queue, pass }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0');
      const [message] = await one.receive({ visibilitySeconds: 1 });
      await pass(2);
      const deleted = await outcomeOf(one.delete(message));
      const changed = await outcomeOf(one.changeVisibility(message, 10));
      return { deleted, changed, stillThere: await one.bodies() };
    },
    expected: { deleted: 'InvalidParameterValue', changed: 'InvalidParameterValue', stillThere: ['a0'] },
  },
  {
    name: 'FIFO: deleting a deleted message succeeds',
    source: SOURCES.deleteMessage,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', 'a0');
      const [message] = await one.receive();
      return [await outcomeOf(one.delete(message)), await outcomeOf(one.delete(message))];
    },
    expected: ['accepted', 'accepted'],
  },
  {
    name: 'FIFO: the queue delays its messages, in order',
    source: SOURCES.delay,
    async observe({ queue, pass }) {
      const one = await queue({ ...FIFO, DelaySeconds: '20' });
      await one.sendToGroup('a', 'a0', 'a1');
      const early = await one.bodies();
      await pass(21);
      return { early, later: await one.bodies() };
    },
    expected: { early: [], later: ['a0', 'a1'] },
  },
  {
    name: 'FIFO: sequence numbers increase',
    source: SOURCES.sendMessage,
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('a', ...digits(0, 10));
      const received = await one.receive();
      const numbers = received.map((message) => BigInt(systemAttribute(message, 'SequenceNumber') ?? -1));
      return numbers.every((number, index) => number > (numbers[index - 1] ?? -1n));
    },
    expected: true,
  },
];
