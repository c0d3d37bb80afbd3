import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listDeadLetters, type ReadableQueue } from '../../../../cli/operations/dead-letter-queue.ts';
import { countMessages } from '../../../../lambdas/adapters/sqs-backlog.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';

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

describe.each([true, false])('a dead-letter queue (FIFO: %s)', (isFifo) => {
  let queue: ReadableQueue;
  beforeEach(async () => {
    queue = { sqs, url: await createQueue(isFifo) };
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

  /** Creates a client that calls `before` with the number of earlier calls of the command. */
  const clientWith = (before: (commandName: string, earlier: number) => Promise<void> | void): SQSClient => {
    const { region, credentials } = sqs.config;
    const client = new SQSClient({ region, credentials, endpoint: emulator.url });
    onTestFinished(() => client.destroy());
    const counts = new Map<string, number>();
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const earlier = counts.get(commandName) ?? 0;
          counts.set(commandName, earlier + 1);
          await before(commandName, earlier);
          return next(args);
        },
      { step: 'initialize' },
    );
    return client;
  };
  const failAt = (name: string, at: number, message: string) => (commandName: string, earlier: number) => {
    if (commandName.startsWith(name) && earlier === at) throw new Error(message);
  };

  it('releases the other dead letters if the release of some fails, and reports why the work failed', async () => {
    for (let index = 0; index < 15; index += 1) await put(queue.url, `letter-${index}`, 'X', group(`${index}`));
    const failRelease = failAt('ChangeMessageVisibility', 0, 'throttled');

    const list = listDeadLetters({ ...queue, sqs: clientWith(failRelease) }, {}, 100);
    await expect(list).rejects.toThrow('throttled');
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 5, inFlight: 10 });

    const failReceive = failAt('ReceiveMessage', 1, 'killed');
    const failing = clientWith((...call) => [failReceive, failRelease].forEach((fail) => void fail(...call)));
    await expect(listDeadLetters({ ...queue, sqs: failing }, {}, 100)).rejects.toThrow('killed');
  });

  it('is listed even if the received messages have become visible again', async () => {
    await put(queue.url, 'letter', 'X', group('a'));
    const late = clientWith(async (name, earlier) => {
      if (name.startsWith('ChangeMessageVisibility') && earlier === 0) await clock.advance(301_000);
    });

    expect(await listDeadLetters({ ...queue, sqs: late }, {}, 100)).toMatchObject({ total: 1 });
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 1, inFlight: 0 });
  });

  it('releases the rest of a receive when a listing reaches its limit', async () => {
    for (const index of [0, 1, 2]) await put(queue.url, `letter-${index}`, 'X', group('a'));

    const { deadLetters, total } = await listDeadLetters(queue, {}, 2);

    expect([deadLetters.map(({ body }) => body), total]).toEqual([['letter-0', 'letter-1'], 3]);
    expect(await countMessages(sqs, queue.url)).toEqual({ available: 3, inFlight: 0 });
  });
});

it('a dead letter of schedules is listed with the error of EventBridge Scheduler as the reason', async () => {
  const queue = { sqs, url: await createQueue(false) };
  const putScheduled = async (error: Record<string, string>) => {
    const attributes = Object.entries(error).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
    const MessageAttributes = Object.fromEntries(attributes);
    await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: '{}', MessageAttributes }));
  };
  await putScheduled({
    ERROR_CODE: 'AWS.SimpleQueueService.NonExistentQueue',
    ERROR_MESSAGE: 'The specified queue does not exist.',
    EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
    RETRY_ATTEMPTS: '185',
  });
  await putScheduled({ ERROR_CODE: 'AccessDenied' });

  const { deadLetters } = await listDeadLetters(queue, {}, 100);

  expect(deadLetters.map(({ reason }) => reason).toSorted()).toEqual([
    'AWS.SimpleQueueService.NonExistentQueue: The specified queue does not exist. (MaximumRetryAttempts, 185 retries)',
    'AccessDenied',
  ]);
});
