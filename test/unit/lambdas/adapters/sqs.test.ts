import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import {
  createChangeVisibility,
  createSqsErasureQueue,
  createSqsInboundQueue,
  createSqsPublishDeadLetterQueue,
  createSqsSendDeadLetterQueue,
  createSqsSendQueue,
} from '../../../../lambdas/adapters/sqs.ts';
import { ms } from '../../../../lambdas/domain/duration.ts';
import { MAX_EVENT_BYTES, parseSerializedRequest } from '../../../../lambdas/domain/serialized-request.ts';
import { NOW, USER } from '../../../support/builders.ts';
import { contractQueues } from '../../../support/contract-queues.ts';
import { incompressibleText, PLAIN_CHARACTERS } from '../../../support/incompressible.ts';

const queues = contractQueues();
const createQueue = (suffix: '' | '.fifo' = '') => queues.createQueue(suffix === '' ? {} : { FifoQueue: 'true' });

const receive = async (QueueUrl: string, WaitTimeSeconds = 0): Promise<readonly Message[]> => {
  const all = { MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All' as const] };
  const { Messages = [] } = await queues.client.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds, ...all }),
  );
  return Messages;
};

const reasonOf = (message: Message | undefined) => message?.MessageAttributes?.reason?.StringValue;

const REQUEST = { rawBody: Buffer.from('{"a":"\uffff"}'), receivedAt: NOW, deliveryId: '77' };
const MESSAGE = { body: '{"requestId":"request-1"}', groupId: USER, deduplicationId: 'request-1' };

describe('the inbound queue', () => {
  it('defers a request to the queue, and quarantines one in its dead-letter queue with the reason', async () => {
    const [queueUrl, deadLetterQueueUrl] = [await createQueue(), await createQueue()];
    const queue = createSqsInboundQueue({ client: queues.client, queueUrl, deadLetterQueueUrl, budgetMs: ms(5_000) });

    expect(await queue.defer(REQUEST)).toEqual({ kind: 'written' });
    expect(await queue.quarantine(REQUEST, 'Not a known event: \u0000.')).toEqual({ kind: 'written' });

    const [deferred] = await receive(queueUrl);
    const [quarantined] = await receive(deadLetterQueueUrl);
    expect(parseSerializedRequest(deferred?.Body ?? '')).toEqual(REQUEST);
    expect(reasonOf(deferred)).toBeUndefined();
    expect(parseSerializedRequest(quarantined?.Body ?? '')).toEqual(REQUEST);
    expect(JSON.parse(quarantined?.Body ?? '').reason).toBe('Not a known event: \ufffd.');
    expect(reasonOf(quarantined)).toBe('Not a known event: \ufffd.');
  });

  it('takes an event of the maximum size with the longest reason, and refuses one that is larger', async () => {
    const [queueUrl, deadLetterQueueUrl] = [await createQueue(), await createQueue()];
    const queue = createSqsInboundQueue({ client: queues.client, queueUrl, deadLetterQueueUrl, budgetMs: ms(5_000) });
    const text = incompressibleText(1024 * 1024, PLAIN_CHARACTERS);
    const requestOf = (_id_: string) => ({ rawBody: Buffer.from(JSON.stringify({ _id_ })), receivedAt: NOW });
    const largest = requestOf(text.slice(0, MAX_EVENT_BYTES - 11));

    expect(await queue.defer(largest)).toEqual({ kind: 'written' });
    expect(await queue.quarantine(largest, '\uffe0'.repeat(600))).toEqual({ kind: 'written' });
    expect(await queue.defer(requestOf(text))).toMatchObject({ kind: 'refused' });

    for (const url of [queueUrl, deadLetterQueueUrl]) {
      const [message] = await receive(url);
      expect(parseSerializedRequest(message?.Body ?? '')?.rawBody.equals(largest.rawBody)).toBe(true);
    }
  });

  it('takes a message of the maximum size as it is, with as much of the reason as fits beside it', async () => {
    const [queueUrl, deadLetterQueueUrl] = [await createQueue(), await createQueue()];
    const queue = createSqsInboundQueue({ client: queues.client, queueUrl, deadLetterQueueUrl, budgetMs: ms(5_000) });
    const reasons = [
      [0, undefined],
      [12, undefined],
      [18, '\uffe0\uffe0'],
      [4_000, '\uffe0'.repeat(3)],
    ] as const;
    for (const [bytesLeft, expected] of reasons) {
      const body = 'x'.repeat(1024 * 1024 - bytesLeft);
      expect(await queue.quarantineMessage(body, '\uffe0'.repeat(3))).toEqual({ kind: 'written' });
      const [message] = await receive(deadLetterQueueUrl);
      expect([message?.Body === body, reasonOf(message)]).toEqual([true, expected]);
    }
  });

  it('returns unavailable when SQS is unreachable or does not answer within the budget', async () => {
    const queueUrl = await createQueue();
    const options = { client: queues.client, queueUrl: `${queueUrl}-missing`, deadLetterQueueUrl: queueUrl };

    expect(await createSqsInboundQueue({ ...options, budgetMs: ms(5_000) }).defer(REQUEST)).toEqual({
      kind: 'unavailable',
      reason: expect.stringContaining('QueueDoesNotExist'),
    });
    expect(await createSqsInboundQueue({ ...options, budgetMs: ms(0) }).quarantine(REQUEST, 'x')).toEqual({
      kind: 'unavailable',
      reason: expect.stringContaining('TimeoutError'),
    });
  });
});

describe('the send queue', () => {
  it('carries the body, message group, and deduplication id', async () => {
    const queueUrl = await createQueue('.fifo');

    await createSqsSendQueue(queues.client, queueUrl).put(MESSAGE);
    await createSqsSendQueue(queues.client, queueUrl).put(MESSAGE);

    expect(await receive(queueUrl)).toMatchObject([
      { Body: MESSAGE.body, Attributes: { MessageGroupId: USER, MessageDeduplicationId: 'request-1' } },
    ]);
  });
});

describe("the send queue's dead-letter queue", () => {
  it('carries the body and message group, and the reason in characters that SQS accepts', async () => {
    const queueUrl = await createQueue('.fifo');
    const message = { body: '{"a\\u0000":1}', groupId: 'contact', deduplicationId: 'request-1' };

    await createSqsSendDeadLetterQueue(queues.client, queueUrl).put(
      message,
      `MALFORMED: unrecognized key "a\u0000\ud800"${'x'.repeat(600)}`,
    );

    const [received] = await receive(queueUrl);
    expect(received).toMatchObject({ Body: message.body, Attributes: { MessageGroupId: 'contact' } });
    expect(reasonOf(received)).toMatch(/^MALFORMED: unrecognized key "a\ufffd\ufffd"x+$/);
    expect(reasonOf(received)).toHaveLength(500);
  });
});

describe('the erasure queue', () => {
  it('carries the erasure as JSON, after a delay', async () => {
    const queueUrl = await createQueue();
    const contact = { platform: 'chat', channel: '*', key: '541155550000' };

    const subject = { platform: 'chat', contact, customers: [], otherCustomers: [] };
    const erasure = { erasureId: 'erasure-1', requestedAt: NOW, ...subject };

    await createSqsErasureQueue(queues.client, queueUrl).put(erasure, 1);

    expect(await receive(queueUrl)).toEqual([]);
    const [received] = await receive(queueUrl, 10);
    expect(JSON.parse(received?.Body ?? '')).toEqual(erasure);
  });
});

const KEYS = { pk: { S: 'SEND#order-17' }, sk: { S: 'SEND' } };

describe('the dead-letter queue of changes', () => {
  it('carries the record with the reason', async () => {
    const queueUrl = await createQueue();

    await createSqsPublishDeadLetterQueue(queues.client, queueUrl).put(
      { sequenceNumber: '42', record: { eventName: 'INSERT' } },
      'REFUSED: MalformedDetail',
    );

    const [received] = await receive(queueUrl);
    expect(JSON.parse(received?.Body ?? '')).toEqual({
      reason: 'REFUSED: MalformedDetail',
      sequenceNumber: '42',
      record: { eventName: 'INSERT' },
    });
    expect(reasonOf(received)).toBe('REFUSED: MalformedDetail');
  });

  it('carries the key alone of a record that is too large for a message', async () => {
    const queueUrl = await createQueue();

    await createSqsPublishDeadLetterQueue(queues.client, queueUrl).put(
      { sequenceNumber: '42', record: { dynamodb: { Keys: KEYS, NewImage: 'x'.repeat(1024 * 1024) } } },
      'UNREADABLE',
    );

    const [received] = await receive(queueUrl);
    expect(JSON.parse(received?.Body ?? '')).toEqual({ reason: 'UNREADABLE', sequenceNumber: '42', keys: KEYS });
  });
});

describe('createChangeVisibility', () => {
  it('makes received messages visible again after the given seconds', async () => {
    const queueUrl = await createQueue('.fifo');
    const groups = ['one', 'two'];
    for (const groupId of groups) {
      await createSqsSendQueue(queues.client, queueUrl).put({ ...MESSAGE, groupId, deduplicationId: groupId });
    }
    const received = await receive(queueUrl);
    expect(received).toHaveLength(2);
    expect(await receive(queueUrl)).toEqual([]);

    const [one, two] = received.map(({ ReceiptHandle = '' }) => ReceiptHandle);
    await createChangeVisibility(
      queues.client,
      queueUrl,
    )([
      { receiptHandle: one ?? '', seconds: 0 },
      { receiptHandle: two ?? '', seconds: 600 },
    ]);

    expect(await receive(queueUrl)).toMatchObject([{ MessageId: received[0]?.MessageId }]);
  });

  it('rejects if the visibility of any message could not be changed, after changing the others', async () => {
    const queueUrl = await createQueue('.fifo');
    await createSqsSendQueue(queues.client, queueUrl).put(MESSAGE);
    const [received] = await receive(queueUrl);

    const changed = createChangeVisibility(
      queues.client,
      queueUrl,
    )([
      { receiptHandle: 'unknown', seconds: 0 },
      { receiptHandle: received?.ReceiptHandle ?? '', seconds: 0 },
    ]);

    await expect(changed).rejects.toThrow('1 of 2 messages');
    expect(await receive(queueUrl)).toMatchObject([{ MessageId: received?.MessageId }]);
  });
});
