import { FIFO, type SqsCase } from '../sqs/contract-case.ts';
import { outcomeOf } from '../sqs/contract-queue.ts';
import { recording } from './recorded-fact.ts';

const sqs = (test: string): string => recording('sqs/test_sqs', `TestSqsProvider::${test}`);

/** What is received of a group of three while the message at this position is still in flight. */
const whileInFlight = (position: number, expected: readonly string[]): SqsCase => ({
  name: `FIFO: while message ${position} of a group is in flight, the messages before it are received`,
  source: sqs(`test_fifo_group_visibility_extends_with_change_message_visibility[sqs-${position}-visible]`),
  async observe({ queue, pass }) {
    const one = await queue({ ...FIFO, VisibilityTimeout: '1' });
    await one.sendToGroup('1', 'foo', 'bar', 'baz');
    const messages = await one.receive();
    await one.changeVisibility(messages[position], 4);
    await pass(2.5);
    return one.bodies();
  },
  expected,
});

const invalidId = (name: 'MessageGroupId' | 'MessageDeduplicationId', test: string, id: string): SqsCase => ({
  name: `messages: ${name} cannot be ${JSON.stringify(id.slice(0, 9))} of ${id.length} characters`,
  source: sqs(test),
  async observe({ queue }) {
    const isFifo = name === 'MessageDeduplicationId';
    const one = await queue(isFifo ? FIFO : {});
    return outcomeOf(one.send('a', { ...(isFifo && { MessageGroupId: 'a' }), [name]: id }));
  },
  expected: 'InvalidParameterValue',
});

/** What SQS did. */
export const QUEUE_FACTS: readonly SqsCase[] = [
  whileInFlight(0, []),
  whileInFlight(1, ['foo']),
  whileInFlight(2, ['foo', 'bar']),
  {
    name: 'FIFO: a group whose messages are all deleted receives the next message',
    source: sqs('test_fifo_empty_message_groups_added_back_to_queue[sqs]'),
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.sendToGroup('g1', 'message-1');
      const [first] = await one.receive({ max: 1 });
      await one.delete(first);
      const empty = await one.bodies();
      await one.sendToGroup('g1', 'message-2');
      return { first: first?.Body, empty, afterwards: await one.bodies() };
    },
    expected: { first: 'message-1', empty: [], afterwards: ['message-2'] },
  },
  {
    name: 'FIFO: a message cannot be deleted after its visibility timeout',
    source: sqs('test_fifo_delete_after_visibility_timeout[sqs]'),
    async observe({ queue, pass }) {
      const one = await queue({ ...FIFO, VisibilityTimeout: '1' });
      await one.sendToGroup('1', 'foobar');
      const [message] = await one.receive();
      await pass(2);
      return outcomeOf(one.delete(message));
    },
    expected: 'InvalidParameterValue',
  },
  {
    name: 'FIFO: a message can be deleted within an extended visibility timeout',
    source: sqs('test_fifo_delete_after_visibility_timeout_extended[sqs]'),
    async observe({ queue, pass }) {
      const one = await queue({ ...FIFO, VisibilityTimeout: '1' });
      await one.sendToGroup('1', 'foobar');
      const [message] = await one.receive();
      await one.changeVisibility(message, 5);
      await pass(1.5);
      return { deleted: await outcomeOf(one.delete(message)), left: await one.bodies() };
    },
    expected: { deleted: 'accepted', left: [] },
  },
  {
    name: 'FIFO: a message cannot have a delay of its own',
    source: sqs('test_fifo_queue_send_message_with_delay_seconds_fails[sqs]'),
    async observe({ queue }) {
      const one = await queue({ ...FIFO, ContentBasedDeduplication: 'true' });
      return outcomeOf(one.send('a', { MessageGroupId: '1', DelaySeconds: 2 }));
    },
    expected: 'InvalidParameterValue',
  },
  {
    name: 'FIFO: a delay of 0 means the delay of the queue',
    source: sqs('test_fifo_queue_send_message_with_zero_delay_defaults_to_queue_delay[sqs]'),
    async observe({ queue, pass }) {
      const one = await queue({ ...FIFO, ContentBasedDeduplication: 'true', DelaySeconds: '2' });
      await one.send('message-1', { MessageGroupId: '1', DelaySeconds: 0 });
      const first = await one.bodies();
      await pass(3);
      return { first, afterwards: await one.bodies() };
    },
    expected: { first: [], afterwards: ['message-1'] },
  },
  {
    name: 'FIFO: messages that wait for one of their group count as visible',
    source: sqs('test_fifo_approximate_number_of_messages_not_visible[sqs]'),
    async observe({ queue }) {
      const one = await queue(FIFO);
      for (const group of ['1', '2', '3']) await one.sendToGroup(group, `${group}a`, `${group}b`);
      await one.receive({ max: 1 });
      await one.receive({ max: 1 });
      return [
        await one.attribute('ApproximateNumberOfMessages'),
        await one.attribute('ApproximateNumberOfMessagesNotVisible'),
      ];
    },
    expected: ['4', '2'],
  },
  {
    name: 'FIFO: an id is unique within the queue, even in another group and after a deletion',
    source: sqs('test_sqs_fifo_same_dedup_id_different_message_groups[sqs]'),
    async observe({ queue }) {
      const one = await queue(FIFO);
      await one.send('Test', { MessageGroupId: '1', MessageDeduplicationId: '1' });
      const [first] = await one.receive();
      await one.delete(first);
      await one.send('Test', { MessageGroupId: '2', MessageDeduplicationId: '1' });
      return { first: first?.Body, second: await one.bodies() };
    },
    expected: { first: 'Test', second: [] },
  },
  {
    name: 'FIFO: with the scope messageGroup, an id is unique within its group, without a throughput setting',
    source: sqs('test_sqs_fifo_message_group_scope_no_throughput_setting[sqs]'),
    async observe({ queue }) {
      const one = await queue({ ...FIFO, DeduplicationScope: 'messageGroup' });
      for (const MessageGroupId of ['1', '2']) await one.send('Test', { MessageGroupId, MessageDeduplicationId: '1' });
      return one.bodies();
    },
    expected: ['Test', 'Test'],
  },
  {
    name: 'visibility: the timeout of a message can be changed after it has ended',
    source: sqs('test_change_message_visibility_after_visibility_timeout_expiration[sqs]'),
    async observe({ queue, pass }) {
      const one = await queue({ VisibilityTimeout: '1' });
      await one.send('test');
      const [message] = await one.receive();
      await pass(2);
      return outcomeOf(one.changeVisibility(message, 2));
    },
    expected: 'accepted',
  },
  {
    name: 'receipt handles: in a standard queue, a message can be deleted after its visibility timeout',
    source: sqs('test_delete_after_visibility_timeout[sqs]'),
    async observe({ queue, pass }) {
      const one = await queue({ VisibilityTimeout: '1' });
      await one.send('foobar');
      const [message] = await one.receive();
      await pass(2);
      await one.delete(message);
      return one.bodies();
    },
    expected: [],
  },
  invalidId('MessageGroupId', 'test_send_message_to_standard_queue_with_invalid_message_group_id[empty]', ''),
  invalidId(
    'MessageGroupId',
    'test_send_message_to_standard_queue_with_invalid_message_group_id[too_long]',
    'a'.repeat(129),
  ),
  invalidId('MessageGroupId', 'test_send_message_to_standard_queue_with_invalid_message_group_id[spaces]', 'group 123'),
  invalidId('MessageDeduplicationId', 'test_message_deduplication_id_invalid[empty]', ''),
  invalidId('MessageDeduplicationId', 'test_message_deduplication_id_invalid[too_long]', 'a'.repeat(129)),
  invalidId('MessageDeduplicationId', 'test_message_deduplication_id_invalid[spaces]', 'group 123'),
];
