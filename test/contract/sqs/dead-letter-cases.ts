import { FIFO, redriveTo, SOURCES, type SqsCase } from './contract-case.ts';
import { outcomeOf, systemAttribute } from './contract-queue.ts';

/** Receives a message and releases it, which counts as a receive. */
const RECEIVE_AND_RETURN = { max: 1, visibilitySeconds: 0 };

/** Redrive policies, dead-letter queues, and retention. */
export const DEAD_LETTER_CASES: readonly SqsCase[] = [
  {
    name: 'dead letters: a receive counts even if its visibility timeout is 0',
    source: SOURCES.visibility,
    async observe({ queue }) {
      const one = await queue();
      await one.send('a');
      const counts: (string | undefined)[] = [];
      for (let receive = 0; receive < 3; receive += 1) {
        const [message] = await one.receive(RECEIVE_AND_RETURN);
        counts.push(systemAttribute(message, 'ApproximateReceiveCount'));
      }
      return counts;
    },
    expected: ['1', '2', '3'],
  },
  {
    name: 'dead letters: a message that was received maxReceiveCount times is moved, unchanged, at the next receive',
    source: SOURCES.deadLetterQueues,
    async observe({ queue }) {
      const dead = await queue();
      const one = await queue(redriveTo(await dead.arn(), 2));
      const id = await one.send('a', { MessageAttributes: { reason: { DataType: 'String', StringValue: 'r' } } });
      const receives = [await one.bodies(RECEIVE_AND_RETURN), await one.bodies(RECEIVE_AND_RETURN)];
      const early = await dead.bodies(RECEIVE_AND_RETURN);
      const third = await one.bodies();
      const [message] = await dead.receive({ waitSeconds: 2 });
      return {
        receives,
        early,
        third,
        moved: [message?.Body, message?.MessageId === id, message?.MessageAttributes?.reason?.StringValue],
        isSourceNamed: systemAttribute(message, 'DeadLetterQueueSourceArn') === (await one.arn()),
      };
    },
    expected: { receives: [['a'], ['a']], early: [], third: [], moved: ['a', true, 'r'], isSourceNamed: true },
  },
  {
    name: 'dead letters: a FIFO queue continues with the next message of the group; the moved message keeps its group',
    source: SOURCES.deadLetterQueues,
    async observe({ queue }) {
      const dead = await queue(FIFO);
      const one = await queue({ ...FIFO, ...redriveTo(await dead.arn(), 1) });
      await one.sendToGroup('a', 'a0', 'a1');
      const first = await one.bodies(RECEIVE_AND_RETURN);
      const second = await one.bodies();
      const [message] = await dead.receive({ waitSeconds: 2 });
      return {
        first,
        second,
        moved: message?.Body,
        group: systemAttribute(message, 'MessageGroupId'),
      };
    },
    expected: { first: ['a0'], second: ['a1'], moved: 'a0', group: 'a' },
  },
  {
    name: "dead letters: in a FIFO dead-letter queue, a message's deduplication id is its message id",
    source: SOURCES.redrive,
    async observe({ queue }) {
      const dead = await queue(FIFO);
      const one = await queue({ ...FIFO, ...redriveTo(await dead.arn(), 1) });
      const id = await one.send('a', { MessageGroupId: 'g', MessageDeduplicationId: 'a' });
      await one.bodies(RECEIVE_AND_RETURN);
      await one.bodies();
      const [message] = await dead.receive({ waitSeconds: 2 });
      return { isMessageId: systemAttribute(message, 'MessageDeduplicationId') === id };
    },
    expected: { isMessageId: true },
  },
  {
    name: 'dead letters: the dead-letter queue must exist and have the same type',
    source: SOURCES.deadLetterQueues,
    async observe({ queue }) {
      const standard = await (await queue()).arn();
      return [
        await outcomeOf(queue({ ...FIFO, ...redriveTo(standard, 1) })),
        await outcomeOf(queue(redriveTo(`${standard}-missing`, 1))),
        await outcomeOf(queue(redriveTo(standard, 0))),
        await outcomeOf(queue(redriveTo(standard, 1001))),
      ];
    },
    expected: ['InvalidParameterValue', 'InvalidParameterValue', 'InvalidAttributeValue', 'InvalidAttributeValue'],
  },
  {
    name: 'retention: a message is deleted when its retention period ends, even in flight',
    source: SOURCES.messageQuotas,
    async observe({ queue, pass }) {
      const one = await queue({ MessageRetentionPeriod: '60' });
      await one.send('visible');
      await one.send('in flight');
      const [message] = await one.receive({ max: 1, visibilitySeconds: 50 });
      await pass(61);
      return { received: message !== undefined, afterwards: await one.bodies() };
    },
    expected: { received: true, afterwards: [] },
  },
  {
    name: 'retention: in a standard dead-letter queue, the period starts when the message is first enqueued',
    source: SOURCES.deadLetterRetention,
    async observe({ queue, pass }) {
      const dead = await queue({ MessageRetentionPeriod: '60' });
      const one = await queue(redriveTo(await dead.arn(), 1));
      await one.send('a');
      await one.bodies(RECEIVE_AND_RETURN);
      await pass(40);
      await one.bodies();
      const moved = await dead.bodies({ ...RECEIVE_AND_RETURN, waitSeconds: 2 });
      await pass(25);
      return { moved, afterwards: await dead.bodies() };
    },
    expected: { moved: ['a'], afterwards: [] },
  },
  {
    name: 'retention: in a FIFO dead-letter queue, the period starts when the message is moved',
    source: SOURCES.deadLetterRetention,
    async observe({ queue, pass }) {
      const dead = await queue({ ...FIFO, MessageRetentionPeriod: '60' });
      const one = await queue({ ...FIFO, ...redriveTo(await dead.arn(), 1) });
      await one.sendToGroup('a', 'a0');
      await one.bodies(RECEIVE_AND_RETURN);
      await pass(40);
      await one.bodies();
      await pass(25);
      const kept = await dead.bodies(RECEIVE_AND_RETURN);
      await pass(40);
      return { kept, afterwards: await dead.bodies() };
    },
    expected: { kept: ['a0'], afterwards: [] },
  },
];
