import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import {
  createChangeVisibility,
  createSqsSendDeadLetterQueue,
  createSqsSendQueue,
} from '../../../lambdas/adapters/sqs.ts';
import type { FifoMessage, SendDeadLetterQueue, SendQueue, VisibilityChange } from '../../../lambdas/ports.ts';
import { NOW } from '../../support/builders.ts';
import { contractQueues } from '../../support/contract-queues.ts';
import { createSimulatedQueue, VISIBILITY_TIMEOUT_SECONDS } from './queues.ts';
import { createVirtualClock } from './virtual-clock.ts';

interface Received {
  readonly body: string;
  readonly receiveCount: number;
  readonly receiptHandle: string;
}

interface TestedQueue {
  readonly queue: SendQueue;
  readonly deadLetters: SendDeadLetterQueue;
  readonly changeVisibility: (changes: readonly VisibilityChange[]) => Promise<void>;
  receive(max: number): Promise<readonly Received[]>;
  delete(receiptHandle: string): Promise<void>;
  receiveDeadLetters(): Promise<readonly { readonly body: string; readonly reason: string | undefined }[]>;
}

const simulated = async (): Promise<TestedQueue> => {
  const queue = createSimulatedQueue(createVirtualClock(NOW));
  return {
    queue: { put: async (message) => queue.put(message) },
    deadLetters: { put: async (message, reason) => queue.putDeadLetter({ ...message, reason }) },
    async changeVisibility(changes) {
      for (const { receiptHandle, seconds } of changes) queue.setVisibility(receiptHandle, seconds);
    },
    receive: async (max) => queue.receive(max),
    delete: async (receiptHandle) => queue.delete(receiptHandle),
    receiveDeadLetters: async () => queue.deadLetters(),
  };
};

const queues = contractQueues();
const createQueue = () =>
  queues.createQueue({ FifoQueue: 'true', DeduplicationScope: 'messageGroup', VisibilityTimeout: '720' });

const emulated = async (): Promise<TestedQueue> => {
  const { client } = queues;
  const [url, deadLetterUrl] = [await createQueue(), await createQueue()];
  const receive = async (QueueUrl: string, max: number): Promise<readonly Message[]> => {
    const command = { QueueUrl, MaxNumberOfMessages: max, MessageAttributeNames: ['All'] };
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ ...command, MessageSystemAttributeNames: ['All'] }),
    );
    return Messages;
  };
  return {
    queue: createSqsSendQueue(client, url),
    deadLetters: createSqsSendDeadLetterQueue(client, deadLetterUrl),
    changeVisibility: createChangeVisibility(client, url),
    receive: async (max) =>
      (await receive(url, max)).map(({ Body = '', ReceiptHandle = '', Attributes }) => ({
        body: Body,
        receiptHandle: ReceiptHandle,
        receiveCount: Number(Attributes?.ApproximateReceiveCount),
      })),
    async delete(ReceiptHandle) {
      await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
    },
    receiveDeadLetters: async () =>
      (await receive(deadLetterUrl, 10)).map(({ Body = '', MessageAttributes }) => ({
        body: Body,
        reason: MessageAttributes?.reason?.StringValue,
      })),
  };
};

const message = (body: string, changes: Partial<FifoMessage> = {}): FifoMessage => ({
  body,
  groupId: 'one',
  deduplicationId: body,
  ...changes,
});

/** Receives one message. */
const receiveOne = async ({ receive }: TestedQueue): Promise<Received> => {
  const [first] = await receive(1);
  if (first === undefined) throw new Error('No message can be received.');
  return first;
};

describe.each([
  ['simulated', simulated],
  ['on the emulator', emulated],
] as const)('the send queue, %s', (_, create) => {
  it('blocks a message group while one of its messages is in flight, and no other group', async () => {
    const tested = await create();
    for (const body of ['a', 'b']) await tested.queue.put(message(body));
    await tested.queue.put(message('c', { groupId: 'two' }));

    const first = await receiveOne(tested);
    const other = await receiveOne(tested);
    const blocked = await tested.receive(10);
    await tested.delete(first.receiptHandle);
    const next = await receiveOne(tested);

    expect([first.body, other.body, blocked, next.body]).toEqual(['a', 'c', [], 'b']);
  });

  it('counts each receive, also of a message that is given back at once', async () => {
    const tested = await create();
    await tested.queue.put(message('a'));
    const counts: number[] = [];
    for (let receive = 0; receive < 3; receive += 1) {
      const { receiptHandle, receiveCount } = await receiveOne(tested);
      counts.push(receiveCount);
      await tested.changeVisibility([{ receiptHandle, seconds: 0 }]);
    }
    expect(counts).toEqual([1, 2, 3]);
  });

  it('drops a message whose deduplication id its group has had, even after the first is deleted', async () => {
    const tested = await create();
    await tested.queue.put(message('a'));
    await tested.delete((await receiveOne(tested)).receiptHandle);
    await tested.queue.put(message('a'));
    await tested.queue.put(message('b', { groupId: 'two', deduplicationId: 'a' }));

    expect((await tested.receive(10)).map(({ body }) => body)).toEqual(['b']);
  });

  it('keeps a dead letter with its reason', async () => {
    const tested = await create();
    await tested.deadLetters.put(message('a'), 'MALFORMED: Not JSON.');
    expect(await tested.receiveDeadLetters()).toEqual([{ body: 'a', reason: 'MALFORMED: Not JSON.' }]);
  });
});

describe('the simulated send queue', () => {
  it('gives up to ten messages of a group in one receive, in order', () => {
    const queue = createSimulatedQueue(createVirtualClock(NOW));
    const bodies = Array.from({ length: 12 }, (_, index) => `message ${index}`);
    for (const body of bodies) queue.put(message(body));

    expect(queue.receive(10).map(({ body }) => body)).toEqual(bodies.slice(0, 10));
    expect(queue.receive(10)).toEqual([]);
  });

  it('shows a message again after its visibility timeout, and deletes it at the end of its retention', () => {
    const clock = createVirtualClock(NOW);
    const queue = createSimulatedQueue(clock);
    queue.put(message('a'));
    queue.receive(10);
    clock.moveTo(clock.ms + VISIBILITY_TIMEOUT_SECONDS * 1000 - 1);
    const before = queue.receive(10);
    clock.moveTo(clock.ms + 1);
    const after = queue.receive(10);
    clock.moveTo(clock.ms + 14 * 24 * 60 * 60 * 1000);

    expect([before.length, after.map(({ receiveCount }) => receiveCount)]).toEqual([0, [2]]);
    expect(queue.depth).toBe(0);
  });

  it('moves a message to the dead-letter queue after 1,000 receives', () => {
    const queue = createSimulatedQueue(createVirtualClock(NOW));
    queue.put(message('a'));
    for (let receive = 0; receive < 1000; receive += 1) {
      const [{ receiptHandle } = { receiptHandle: '' }] = queue.receive(1);
      queue.setVisibility(receiptHandle, 0);
    }

    expect(queue.deadLetters()).toEqual([]);
    expect(queue.receive(1)).toEqual([]);
    expect(queue.deadLetters()).toEqual([{ body: 'a', reason: 'SQS moved it after 1,000 receives.' }]);
  });
});
