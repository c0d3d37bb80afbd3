import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listDeadLetters, type RedrivenQueue } from '../../../../cli/operations/dead-letter-queue.ts';
import { ManagementError } from '../../../../cli/operations/management-client.ts';
import { redrive } from '../../../../cli/operations/redrive.ts';
import { createRedriveScheduledSend } from '../../../../cli/operations/redrive-scheduled-send.ts';
import { countMessages } from '../../../../lambdas/adapters/sqs-backlog.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { TRACEPARENT } from '../../../support/builders.ts';

const clock = createMovableClock();
let emulator: ListeningServer;
let sqs: SQSClient;
let queues = 0;
beforeAll(async () => {
  emulator = await startSqs({ clock, pollSecondMs: 50 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  sqs = new SQSClient({ region: 'us-east-1', credentials, endpoint: emulator.url });
});
afterAll(async () => {
  sqs.destroy();
  await emulator.close();
});

const createQueue = async (isFifo: boolean): Promise<string> => {
  queues += 1;
  const QueueName = `queue-${queues}${isFifo ? '.fifo' : ''}`;
  const Attributes = isFifo ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup' } : {};
  await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return `${emulator.url}/000000000000/${QueueName}`;
};

const put = async (url: string, body: string, reason: string, groupId?: string) => {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: body,
      MessageAttributes: { reason: { DataType: 'String', StringValue: reason } },
      ...(groupId && { MessageGroupId: groupId, MessageDeduplicationId: body }),
    }),
  );
};

/** Receives and deletes all messages in order. */
const drain = async (url: string): Promise<{ body: string; reason: string | undefined }[]> => {
  const all: { body: string; reason: string | undefined }[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
    );
    if (Messages.length === 0) return all;
    for (const { Body = '', ReceiptHandle, MessageAttributes } of Messages) {
      all.push({ body: Body, reason: MessageAttributes?.reason?.StringValue });
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
    }
  }
};

describe.each([true, false])('a dead-letter queue (FIFO: %s)', (isFifo) => {
  let queue: RedrivenQueue;
  beforeEach(async () => {
    queue = { sqs, url: await createQueue(isFifo), destinationUrl: await createQueue(isFifo) };
  });
  const group = (name: string) => (isFifo ? name : undefined);

  it('is listed with the reasons, and left unchanged', async () => {
    await put(queue.url, 'one', 'REJECTED: HTTP 400', group('a'));
    await put(queue.url, 'two', 'MALFORMED: no JSON', group('b'));
    const { deadLetters, total, isComplete } = await listDeadLetters(queue, {}, 100);
    const rejected = await listDeadLetters(queue, { reason: 'rejected' }, 100);

    expect(deadLetters.map(({ body, reason }) => [body, reason]).toSorted()).toEqual([
      ['one', 'REJECTED: HTTP 400'],
      ['two', 'MALFORMED: no JSON'],
    ]);
    expect([total, isComplete]).toEqual([2, true]);
    expect(rejected.deadLetters).toMatchObject([{ body: 'one' }]);
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 2, inFlight: 0 });
  });

  it('returns only the dead letters with the reason, in order, and counts them', async () => {
    const letters = Array.from({ length: 45 }, (_, index) => ({
      body: `letter-${String(index).padStart(2, '0')}`,
      reason: index % 3 === 0 ? 'REJECTED: code 131' : 'MALFORMED: no JSON',
      contact: index % 2 === 0 ? 'even' : 'odd',
    }));
    for (const { body, reason, contact } of letters) await put(queue.url, body, reason, group(contact));

    const result = await redrive(queue, { filter: { reason: 'code 131' } });

    const expected = letters.filter(({ reason }) => reason.includes('131'));
    expect(result).toEqual({ moved: expected.length, deleted: 0, left: letters.length - expected.length });
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 30, inFlight: 0 });
    const moved = (await drain(queue.destinationUrl)).map(({ body }) => body);
    for (const contact of ['even', 'odd']) {
      const ofContact = expected.filter((one) => one.contact === contact).map(({ body }) => body);
      expect(moved.filter((body) => ofContact.includes(body))).toEqual(ofContact);
    }
    expect(moved).toHaveLength(expected.length);
  });

  it('returns a dead letter in the trace that it names', async () => {
    const traced = { QueueUrl: queue.url, MessageBody: 'traced', ...(isFifo && { MessageGroupId: 'a' }) };
    await sqs.send(
      new SendMessageCommand({
        ...traced,
        ...(isFifo && { MessageDeduplicationId: 'traced' }),
        MessageAttributes: { traceparent: { DataType: 'String', StringValue: TRACEPARENT } },
      }),
    );
    await redrive(queue, { filter: {} });
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue.destinationUrl, MessageAttributeNames: ['All'] }),
    );
    expect(Messages.map(({ MessageAttributes }) => MessageAttributes?.traceparent?.StringValue)).toEqual([TRACEPARENT]);
  });

  it('keeps the order and the reasons of the dead letters that stay', async () => {
    for (const index of [0, 1, 2, 3]) await put(queue.url, `letter-${index}`, index === 1 ? 'X' : 'Y', group('a'));
    await redrive(queue, { filter: { reason: 'X' } });

    expect(await drain(queue.url)).toEqual(['letter-0', 'letter-2', 'letter-3'].map((body) => ({ body, reason: 'Y' })));
  });

  it('ends even if every dead letter fails again at once', async () => {
    await put(queue.url, 'bad', 'MALFORMED', group('a'));
    await put(queue.url, 'worse', 'MALFORMED', group('a'));
    let failures = 0;
    const result = await redrive(queue, {
      filter: {},
      prepare: async ({ body, reason, groupId }) => {
        failures += 1;
        await sqs.send(
          new SendMessageCommand({
            QueueUrl: queue.url,
            MessageBody: body,
            MessageAttributes: { reason: { DataType: 'String', StringValue: reason } },
            ...(isFifo && { MessageGroupId: 'a', MessageDeduplicationId: `failed-${failures}` }),
          }),
        );
        return { kind: 'move', body, groupId };
      },
    });

    expect(result).toEqual({ moved: 2, deleted: 0, left: 2 });
    expect((await drain(queue.url)).map(({ body }) => body)).toEqual(['bad', 'worse']);
  });

  it('loses nothing when a move is interrupted', async () => {
    for (const index of [0, 1, 2]) await put(queue.url, `letter-${index}`, 'X', group('a'));
    const interrupted = redrive(queue, {
      filter: {},
      prepare: async ({ body, groupId }) => {
        if (body === 'letter-1') throw new Error('killed');
        return { kind: 'move', body, groupId };
      },
    });

    await expect(interrupted).rejects.toThrow('killed');
    expect((await countMessages(sqs, queue.destinationUrl)).available).toBe(1);
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 2, inFlight: 0 });
    expect((await drain(queue.url)).map(({ body }) => body)).toEqual(['letter-1', 'letter-2']);
  });

  it('stops a redrive when it is interrupted, and makes the rest available again', async () => {
    for (const index of [0, 1, 2]) await put(queue.url, `letter-${index}`, 'X', group('a'));
    const stop = new AbortController();
    const interrupted = redrive(queue, { filter: {}, stop: stop.signal, onMoved: () => stop.abort() });

    await expect(interrupted).rejects.toThrow('aborted');
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 2, inFlight: 0 });
    expect(await redrive(queue, { filter: {} })).toMatchObject({ moved: 2 });
  });

  it('releases the other dead letters if the release of some fails, and reports why the work failed', async () => {
    for (let index = 0; index < 15; index += 1) await put(queue.url, `letter-${index}`, 'X', group(`${index}`));
    const { region, credentials } = sqs.config;
    const flaky = new SQSClient({ region, credentials, endpoint: emulator.url });
    onTestFinished(() => flaky.destroy());
    let releases = 0;
    flaky.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          releases += commandName.startsWith('ChangeMessageVisibility') ? 1 : 0;
          if (releases === 1) throw new Error('throttled');
          return next(args);
        },
      { step: 'initialize' },
    );

    await expect(listDeadLetters({ ...queue, sqs: flaky }, {}, 100)).rejects.toThrow('throttled');
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 5, inFlight: 10 });

    releases = 0;
    const prepare = () => Promise.reject(new Error('killed'));
    await expect(redrive({ ...queue, sqs: flaky }, { filter: {}, prepare })).rejects.toThrow('killed');
  });

  it('reports why a move was interrupted, even if the received messages have become visible again', async () => {
    await put(queue.url, 'letter', 'X', group('a'));
    const interrupted = redrive(queue, {
      filter: {},
      prepare: async () => {
        await clock.advance(301_000);
        throw new Error('killed');
      },
    });

    await expect(interrupted).rejects.toThrow('killed');
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 1, inFlight: 0 });
  });

  it('releases the rest of a receive when a listing reaches its limit', async () => {
    for (const index of [0, 1, 2]) await put(queue.url, `letter-${index}`, 'X', group('a'));

    const { deadLetters, total } = await listDeadLetters(queue, {}, 2);

    expect([deadLetters.map(({ body }) => body), total]).toEqual([['letter-0', 'letter-1'], 3]);
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 3, inFlight: 0 });
  });

  it('is redriven even if the dead letters that stay have become visible again', async () => {
    await put(queue.url, 'stays', 'Y', group('a'));
    for (let index = 0; index < 12; index += 1) await put(queue.url, `move-${index}`, 'X', group('b'));

    const result = await redrive(queue, {
      filter: { reason: 'X' },
      prepare: async ({ body, groupId }) => {
        // Together, these take longer than the visibility timeout of the first receive. Each takes less than its own.
        if (['move-0', 'move-11'].includes(body)) await clock.advance(200_000);
        return { kind: 'move', body, groupId };
      },
    });

    expect(result).toEqual({ moved: 12, deleted: 0, left: 1 });
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 1, inFlight: 0 });
    expect((await drain(queue.url)).map(({ body }) => body)).toEqual(['stays']);
  });
});

describe("the schedules' dead-letter queue", () => {
  let queue: RedrivenQueue;
  beforeEach(async () => {
    queue = { sqs, url: await createQueue(false), destinationUrl: await createQueue(true) };
  });

  const ERROR = {
    ERROR_CODE: 'AWS.SimpleQueueService.NonExistentQueue',
    ERROR_MESSAGE: 'The specified queue does not exist.',
    EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
    RETRY_ATTEMPTS: '185',
  };
  const putScheduled = async (body: unknown, error: Record<string, string> = ERROR) => {
    const attributes = Object.entries(error).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queue.url,
        MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
        MessageAttributes: Object.fromEntries(attributes),
      }),
    );
  };
  const due = (requestId: string) => JSON.stringify({ scheduledRequestId: requestId });
  const inputOf = (requestId: string, groupId?: string) => ({
    QueueUrl: queue.destinationUrl,
    MessageBody: due(requestId),
    MessageGroupId: groupId,
    MessageDeduplicationId: 'x',
  });
  const CONTACT = '+5491150000001';
  const sends: Record<string, unknown> = {
    'order-17': { requestId: 'order-17', request: { platformContactId: CONTACT } },
    'order-18': { requestId: 'order-18', request: { platformContactId: 'a contact with spaces' } },
    erased: { requestId: 'erased' },
  };
  const api = async (_method: string, path: string) => {
    const send = sends[decodeURIComponent(path.replace('/v1/sends/', ''))];
    if (send === undefined) throw new ManagementError(404, 'SEND_NOT_FOUND', 'There is no such send.');
    return send;
  };
  const redriveAll = async (call = api) => {
    const exceptions: string[] = [];
    const onException = (why: string) => void exceptions.push(why);
    const result = await redrive(queue, { filter: {}, prepare: createRedriveScheduledSend(call), onException });
    return { result, exceptions };
  };
  const groups = async () => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queue.destinationUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return Object.fromEntries(Messages.map(({ Body = '', Attributes }) => [Body, Attributes?.MessageGroupId]));
  };

  it('is listed with the error of EventBridge Scheduler as the reason', async () => {
    await putScheduled(inputOf('order-17', CONTACT));
    await putScheduled(due('order-18'), { ERROR_CODE: 'AccessDenied' });

    const { deadLetters } = await listDeadLetters(queue, {}, 100);

    expect(deadLetters.map(({ reason }) => reason).toSorted()).toEqual([
      'AWS.SimpleQueueService.NonExistentQueue: The specified queue does not exist. (MaximumRetryAttempts, 185 retries)',
      'AccessDenied',
    ]);
  });

  it("is redriven to the send queue, in the message group of the target's input or of the send's contact", async () => {
    await putScheduled(inputOf('order-17', 'orders'));
    await putScheduled(due('order-18'));

    const { result, exceptions } = await redriveAll();

    expect([result, exceptions]).toEqual([{ moved: 2, deleted: 0, left: 0 }, []]);
    expect(await groups()).toEqual({
      [due('order-17')]: 'orders',
      // SQS refuses a message group with spaces, so the group is the hash of the contact, as for the API.
      [due('order-18')]: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 0, inFlight: 0 });
  });

  it('deletes and reports requests that are no longer stored or whose contact was erased', async () => {
    await putScheduled(inputOf('gone', CONTACT));
    await putScheduled(due('erased'));

    const { result, exceptions } = await redriveAll();

    expect(result).toEqual({ moved: 0, deleted: 2, left: 0 });
    expect(exceptions.toSorted()).toEqual([
      'Request gone is no longer stored, so there is nothing to send. Its dead letter was deleted.',
      'The contact of request erased was erased, so there is nothing to send. Its dead letter was deleted.',
    ]);
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 0, inFlight: 0 });
    expect((await countMessages(sqs, queue.destinationUrl)).available).toBe(0);
  });

  it('keeps a dead letter without a request ID, and says so', async () => {
    await putScheduled('{"truncated":');

    const { result, exceptions } = await redriveAll();

    expect(result).toEqual({ moved: 0, deleted: 0, left: 1 });
    expect(exceptions).toEqual([
      expect.stringMatching(/^Dead letter \S+ contains no request ID, so it cannot be redriven\.$/),
    ]);
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 1, inFlight: 0 });
  });

  it('loses nothing while the management API is unavailable', async () => {
    await putScheduled(inputOf('order-17', CONTACT));
    const unavailable = async () => Promise.reject(new ManagementError(500, 'INTERNAL', 'Internal error.'));

    await expect(redriveAll(unavailable)).rejects.toThrow('Internal error.');

    const { available, inFlight } = await countMessages(sqs, queue.url);
    expect(available + inFlight).toBe(1);
  });
});
