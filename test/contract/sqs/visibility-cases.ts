import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { SOURCES, type SqsCase } from './contract-case.ts';
import { outcomeOf } from './contract-queue.ts';

/** Visibility timeouts, receipt handles, delays, polling, and purging. */
export const VISIBILITY_CASES: readonly SqsCase[] = [
  {
    name: 'visibility: a received message is hidden until its timeout ends',
    source: SOURCES.visibility,
    async observe({ queue, pass }) {
      const one = await queue({ VisibilityTimeout: '30' });
      await one.send('a');
      const first = await one.bodies();
      const hidden = await one.bodies();
      await pass(31);
      return { first, hidden, afterwards: await one.bodies() };
    },
    expected: { first: ['a'], hidden: [], afterwards: ['a'] },
  },
  {
    name: 'visibility: a change counts from the time of the change and does not affect the next receive',
    source: SOURCES.changeVisibility,
    async observe({ queue, pass }) {
      const one = await queue({ VisibilityTimeout: '20' });
      await one.send('a');
      const [message] = await one.receive();
      await one.changeVisibility(message, 2);
      await pass(3);
      const again = await one.bodies();
      await pass(3);
      return { again, hidden: await one.bodies() };
    },
    expected: { again: ['a'], hidden: [] },
  },
  {
    name: 'visibility: only the timeout of a message in flight can be changed',
    source: SOURCES.changeVisibility,
    async observe({ queue, pass }) {
      const one = await queue();
      await one.send('a');
      const [message] = await one.receive({ visibilitySeconds: 1 });
      await pass(2);
      const visible = await outcomeOf(one.changeVisibility(message, 10));
      const [again] = await one.receive();
      await one.delete(again);
      const malformed = await outcomeOf(one.changeVisibility({ ReceiptHandle: 'no handle' }, 10));
      return { visible, deleted: await outcomeOf(one.changeVisibility(again, 10)), malformed };
    },
    expected: { visible: 'MessageNotInflight', deleted: 'InvalidParameterValue', malformed: 'ReceiptHandleIsInvalid' },
  },
  {
    name: 'visibility: at most 12 hours, counted from the receive',
    source: SOURCES.visibility,
    async observe({ queue, pass }) {
      const one = await queue();
      await one.send('a');
      const tooLong = await outcomeOf(one.receive({ visibilitySeconds: 43_201 }));
      const [message] = await one.receive({ visibilitySeconds: 43_200 });
      await pass(2);
      return {
        tooLong,
        beyond: await outcomeOf(one.changeVisibility(message, 43_200)),
        within: await outcomeOf(one.changeVisibility(message, 43_000)),
      };
    },
    expected: { tooLong: 'InvalidParameterValue', beyond: 'InvalidParameterValue', within: 'accepted' },
  },
  {
    name: 'receipt handles: in a standard queue, a handle can delete the message after its visibility timeout',
    source: SOURCES.deleteMessage,
    async observe({ queue, pass }) {
      const one = await queue();
      await one.send('a');
      const [message] = await one.receive({ visibilitySeconds: 1 });
      await pass(2);
      return { deleted: await outcomeOf(one.delete(message)), afterwards: await one.bodies() };
    },
    expected: { deleted: 'accepted', afterwards: [] },
  },
  {
    name: "receipt handles: in a standard queue, a deletion with an earlier receive's handle succeeds without effect",
    source: SOURCES.deleteMessage,
    async observe({ queue }) {
      const one = await queue();
      await one.send('a');
      const [message] = await one.receive({ visibilitySeconds: 0 });
      const [again] = await one.receive();
      const deleted = await outcomeOf(one.delete(message));
      await one.changeVisibility(again, 0);
      return { deleted, afterwards: await one.bodies() };
    },
    expected: { deleted: 'accepted', afterwards: ['a'] },
  },
  {
    name: 'receipt handles: deleting a deleted message succeeds; a malformed handle is refused',
    source: SOURCES.deleteMessage,
    async observe({ queue }) {
      const one = await queue();
      await one.send('a');
      const [message] = await one.receive();
      return [
        await outcomeOf(one.delete(message)),
        await outcomeOf(one.delete(message)),
        await outcomeOf(one.delete({ ReceiptHandle: 'no handle' })),
      ];
    },
    expected: ['accepted', 'accepted', 'ReceiptHandleIsInvalid'],
  },
  {
    name: "delay: a message's delay overrides that of its queue, even if it is 0",
    source: SOURCES.delay,
    async observe({ queue, pass }) {
      const one = await queue({ DelaySeconds: '600' });
      await one.send('at once', { DelaySeconds: 0 });
      await one.send('soon', { DelaySeconds: 20 });
      await one.send('late');
      const early = await one.bodies();
      const delayed = await one.attribute('ApproximateNumberOfMessagesDelayed');
      await pass(21);
      return { early, delayed, later: await one.bodies() };
    },
    expected: { early: ['at once'], delayed: '2', later: ['soon'] },
  },
  {
    name: 'polling: a long poll returns as soon as a message arrives, or nothing if none arrives',
    source: SOURCES.longPolling,
    async observe({ queue }) {
      const one = await queue();
      const empty = await one.bodies({ waitSeconds: 1 });
      const polling = one.bodies({ waitSeconds: 20 });
      await one.send('a');
      return { empty, polled: await polling };
    },
    expected: { empty: [], polled: ['a'] },
  },
  {
    name: 'polling: up to ten messages, and up to 20 seconds',
    source: SOURCES.receiveMessage,
    async observe({ queue }) {
      const one = await queue();
      return [
        await outcomeOf(one.receive({ max: 0 })),
        await outcomeOf(one.receive({ max: 11 })),
        await outcomeOf(one.receive({ waitSeconds: 21 })),
      ];
    },
    expected: ['InvalidParameterValue', 'InvalidParameterValue', 'InvalidParameterValue'],
  },
  {
    name: 'purge: deletes visible, delayed, and in-flight messages, at most once in 60 seconds',
    source: SOURCES.purge,
    async observe({ queue, sqs }) {
      const one = await queue();
      await one.send('in flight');
      await one.receive();
      await one.send('visible');
      await one.send('delayed', { DelaySeconds: 900 });
      const purge = () => outcomeOf(sqs.send(new PurgeQueueCommand({ QueueUrl: one.url })));
      const first = await purge();
      const counts = [
        await one.attribute('ApproximateNumberOfMessages'),
        await one.attribute('ApproximateNumberOfMessagesDelayed'),
        await one.attribute('ApproximateNumberOfMessagesNotVisible'),
      ];
      return { first, counts, second: await purge() };
    },
    expected: { first: 'accepted', counts: ['0', '0', '0'], second: 'PurgeQueueInProgress' },
  },
];
