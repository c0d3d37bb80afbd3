import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSqsRedriveQueue } from '../../../../../lambdas/adapters/sqs.ts';
import { countMessages } from '../../../../../lambdas/adapters/sqs-backlog.ts';
import { createSqsDeadLetterSource } from '../../../../../lambdas/adapters/sqs-dead-letters.ts';
import type { KeptQueue } from '../../../../../lambdas/domain/dead-letter.ts';
import { seconds } from '../../../../../lambdas/domain/duration.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { redriveResponse } from '../../../../../lambdas/manage/api/redrives.ts';
import { createMovableClock } from '../../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../../local/emulators/sqs/sqs.ts';
import { TRACEPARENT } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
const clock = createMovableClock();
let emulator: ListeningServer;
let sqs: SQSClient;
let created = 0;
beforeAll(async () => {
  emulator = await startSqs({ clock, pollSecondMs: 50 });
  sqs = createClient();
});
afterAll(async () => {
  sqs.destroy();
  await emulator.close();
});

const createClient = () => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new SQSClient({ region: 'us-east-1', credentials, endpoint: emulator.url, maxAttempts: 1 });
};

let stage: ManagedStage;
/** The URLs of the dead-letter queue under test, and of the queues to which it is redriven. */
let urls: { readonly deadLetters: string; readonly destination: string; readonly bulk: string };

const createQueue = async (isFifo: boolean): Promise<string> => {
  created += 1;
  const QueueName = `queue-${created}${isFifo ? '.fifo' : ''}`;
  const Attributes = isFifo ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup' } : {};
  await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return `${emulator.url}/000000000000/${QueueName}`;
};

/** Creates a stage with one dead-letter queue. */
const createStage = async (queue: KeptQueue, isFifo: boolean, isDestinationFifo = isFifo) => {
  const [deadLetters, destination, bulk] = [
    await createQueue(isFifo),
    await createQueue(isDestinationFifo),
    await createQueue(true),
  ];
  urls = { deadLetters, destination, bulk };
  stage = await createManagedStage(tables);
  useClient(queue, sqs);
};

const destinationOf = (queue: KeptQueue) => (queue === 'schedules' ? 'send' : queue);

const useClient = (queue: KeptQueue, client: SQSClient) => {
  stage.redrivenSources = {
    [queue]: createSqsDeadLetterSource(client, queue, urls.deadLetters, {
      sourceUrl: undefined,
      hiddenSeconds: seconds(600),
    }),
  };
  const bulk = createSqsRedriveQueue(client, urls.bulk);
  stage.redriveQueues = { bulk, [destinationOf(queue)]: createSqsRedriveQueue(client, urls.destination) };
};

const put = async (body: string, attributes: Readonly<Record<string, string>> = {}, MessageGroupId?: string) => {
  const { MessageId = '' } = await sqs.send(
    new SendMessageCommand({
      QueueUrl: urls.deadLetters,
      MessageBody: body,
      MessageAttributes: Object.fromEntries(
        Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      ),
      ...(MessageGroupId && { MessageGroupId, MessageDeduplicationId: `put-${body}-${clock.now().getTime()}` }),
    }),
  );
  return MessageId;
};

/** Receives and deletes all messages in order. */
const drain = async (QueueUrl: string) => {
  const all: { readonly body: string; readonly group: string | undefined; readonly trace: string | undefined }[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return all;
    for (const { Body: body = '', ReceiptHandle, Attributes, MessageAttributes } of Messages) {
      const trace = MessageAttributes?.traceparent?.StringValue;
      all.push({ body, group: Attributes?.MessageGroupId, trace });
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
};
const bodiesIn = async (url: string) => (await drain(url)).map(({ body }) => body);

const redrive = async (queue: KeptQueue, body: Record<string, unknown> = {}) => {
  stage.setNow(clock.now().toISOString());
  const answer = await stage.call('redriveDeadLetters', { body: { queue, ...body } });
  return redriveResponse.parse(answer.body);
};

const keep = (queue: KeptQueue, id: string, body: string, groupId: string) => {
  const at = addMs(clock.now().toISOString(), -90_000);
  return stage.deadLetters.keep({ id, queue, reason: 'X', body, groupId, since: at }, [], { at, keepId: 'keep-1' });
};

describe.each([
  ['send', true],
  ['bulk', true],
  ['inbound', false],
  ['erasures', false],
] as const)('dead letters of %s (FIFO: %s)', (queue, isFifo) => {
  beforeEach(() => createStage(queue, isFifo));
  const group = (name: string) => (isFifo ? name : undefined);

  it('return to their queue with the reason that is asked for, in order, and are counted', async () => {
    const letters = Array.from({ length: 20 }, (_, index) => ({
      body: `letter-${String(index).padStart(2, '0')}`,
      reason: index % 3 === 0 ? 'REJECTED: code 131' : 'MALFORMED: no JSON',
      contact: `contact-${index % 4}`,
    }));
    for (const { body, reason, contact } of letters) await put(body, { reason }, group(contact));

    const result = await redrive(queue, { reason: 'code 131' });

    const expected = letters.filter(({ reason }) => reason.includes('131'));
    expect(result).toMatchObject({ moved: 7, deleted: 0, left: 13, isComplete: true });
    expect(await countMessages(sqs, urls.deadLetters)).toEqual({ available: 13, inFlight: 0 });
    const moved = await bodiesIn(urls.destination);
    expect(moved).toHaveLength(7);
    for (const { contact } of letters) {
      const ofContact = expected.filter((one) => one.contact === contact).map(({ body }) => body);
      expect(moved.filter((body) => ofContact.includes(body))).toEqual(ofContact);
    }
  });

  it('keep the order, the group, and the trace, those in the table first', async () => {
    await put('queued-1', { traceparent: TRACEPARENT }, group('ana'));
    for (let index = 2; index < 25; index += 1) await put(`queued-${index}`, {}, group('ana'));
    for (const index of [1, 2, 3]) {
      await clock.advance(1000);
      if (isFifo) await keep(queue, `kept-${index}`, `kept-${index}`, 'ana');
    }

    await redrive(queue);

    const moved = await drain(urls.destination);
    const kept = isFifo ? ['kept-1', 'kept-2', 'kept-3'] : [];
    const expected = [...kept, ...Array.from({ length: 24 }, (_, index) => `queued-${index + 1}`)];
    const bodies = moved.map(({ body }) => body);
    expect(isFifo ? bodies : bodies.toSorted()).toEqual(isFifo ? expected : expected.toSorted());
    expect(moved.find(({ body }) => body === 'queued-1')).toMatchObject({ group: group('ana'), trace: TRACEPARENT });
  });

  it('can be moved one at a time, also behind others of their group, which stay in order', async () => {
    await put('letter-1', {}, group('ana'));
    const deadLetterId = await put('letter-2', {}, group('ana'));
    await put('letter-3', {}, group('ana'));

    expect(await redrive(queue, { deadLetterId })).toMatchObject({ moved: 1 });

    expect(await bodiesIn(urls.destination)).toEqual(['letter-2']);
    expect(await bodiesIn(urls.deadLetters)).toEqual(['letter-1', 'letter-3']);
  });

  it('are moved once although every one fails again at once', async () => {
    for (const body of ['bad', 'worse']) await put(body, {}, group('ana'));
    await clock.advance(10);
    const { [queue]: destination } = stage.redriveQueues;
    if (destination === undefined) throw new Error('The queue is missing.');
    const failing = async (message: Parameters<typeof destination.put>[0]) => {
      await destination.put(message);
      await clock.advance(10);
      await put(`${message.body}-again`, {}, group('ana'));
    };
    stage.redriveQueues = { [queue]: { ...destination, put: failing } };

    expect(await redrive(queue)).toMatchObject({ moved: 2, left: 2, isComplete: true });

    expect(await bodiesIn(urls.deadLetters)).toEqual(['bad-again', 'worse-again']);
  });

  it('are in one of the queues after a fault at any call, in order, and are moved once it is over', async () => {
    const LETTERS = ['letter-1', 'letter-2', 'letter-3'];
    for (let failAt = 0, isFailed = true; isFailed; failAt += 1) {
      await createStage(queue, isFifo);
      for (const body of LETTERS) await put(body, {}, group('ana'));
      const flaky = createClient();
      onTestFinished(() => flaky.destroy());
      let calls = 0;
      flaky.middlewareStack.add(
        (next) => async (args) => {
          calls += 1;
          if (calls - 1 === failAt) throw new Error('killed');
          return next(args);
        },
        { step: 'initialize' },
      );
      useClient(queue, flaky);

      isFailed = await redrive(queue).then(
        () => false,
        () => true,
      );

      // The release can have failed, too.
      await clock.advance(601_000);
      useClient(queue, sqs);
      expect(await redrive(queue)).toMatchObject({ isComplete: true });
      // SQS drops a repetition only within five minutes.
      const moved = [...new Set(await bodiesIn(urls.destination))];
      expect(isFifo ? moved : moved.toSorted()).toEqual(LETTERS);
      if (!isFailed) expect(failAt).toBeGreaterThan(6);
    }
  });
});

describe('dead letters of schedules', () => {
  const ORDER = { requestId: 'order-17', platformContactId: '+5491150000001', messageText: 'Hola' };
  beforeEach(async () => {
    await createStage('schedules', false, true);
    const { usedSends: sends } = stage;
    const records = new Map([
      ['order-17', JSON.stringify(ORDER)],
      ['order-18', JSON.stringify({ ...ORDER, platformContactId: 'a contact with spaces' })],
      ['erased', ''],
    ]);
    stage.usedSends = {
      ...sends,
      async read(requestId) {
        const body = records.get(requestId);
        return body === undefined ? undefined : { ...QUEUED, requestId, body };
      },
    };
  });
  const QUEUED = { state: 'scheduled', unknownOutcomes: 0, attempts: 0 } as const;

  const due = (requestId: string) => JSON.stringify({ scheduledRequestId: requestId });
  const inputOf = (requestId: string, MessageGroupId: string, QueueUrl = urls.destination) =>
    JSON.stringify({ QueueUrl, MessageBody: due(requestId), MessageGroupId, MessageDeduplicationId: 'x' });
  const groupsIn = async (url: string) =>
    Object.fromEntries((await drain(url)).map(({ body, group }) => [body, group]));

  it("return to the send queue, in the message group of the target's input or of the send's contact", async () => {
    await put(inputOf('order-17', 'orders'));
    await put(due('order-18'));

    expect(await redrive('schedules')).toMatchObject({ moved: 2, deleted: 0, left: 0 });

    expect(await groupsIn(urls.destination)).toEqual({
      [due('order-17')]: 'orders',
      // SQS refuses a message group with spaces, so the group is the hash of the contact, as for the API.
      [due('order-18')]: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await countMessages(sqs, urls.deadLetters)).toEqual({ available: 0, inFlight: 0 });
  });

  it('return to the bulk queue if they came from it, unless the stage no longer has it', async () => {
    await put(inputOf('order-17', 'orders', urls.bulk));
    await redrive('schedules');
    expect(await groupsIn(urls.bulk)).toEqual({ [due('order-17')]: 'orders' });

    const { send } = stage.redriveQueues;
    stage.redriveQueues = { ...(send && { send }) };
    await put(inputOf('order-17', 'orders', urls.bulk));
    await redrive('schedules');
    expect(await groupsIn(urls.destination)).toEqual({ [due('order-17')]: 'orders' });
  });

  it('are deleted and listed if the request is no longer stored or its contact was erased', async () => {
    const [gone, erased] = [await put(inputOf('gone', 'orders')), await put(due('erased'))];

    const { notRedriven = [], ...counts } = await redrive('schedules');

    expect(counts).toMatchObject({ moved: 0, deleted: 2, left: 0 });
    expect(Object.fromEntries(notRedriven.map(({ id, why }) => [id, why]))).toEqual({
      [gone]: 'gone is no longer stored. Deleted.',
      [erased]: 'erased is no longer stored. Deleted.',
    });
    expect(await countMessages(sqs, urls.deadLetters)).toEqual({ available: 0, inFlight: 0 });
    expect(await bodiesIn(urls.destination)).toEqual([]);
  });

  it('stay without a request ID, in the queue and in the table', async () => {
    const id = await put('{"truncated":');
    await keep('schedules', 'kept', '{"truncated":', '');

    expect(await redrive('schedules')).toMatchObject({
      moved: 0,
      left: 2,
      notRedriven: [
        { id: 'kept', why: 'It contains no request ID.' },
        { id, why: 'It contains no request ID.' },
      ],
    });
    expect(await countMessages(sqs, urls.deadLetters)).toEqual({ available: 1, inFlight: 0 });
    expect(await stage.deadLetters.read('kept')).toBeDefined();
  });

  it('are not lost while the table is unavailable', async () => {
    await put(inputOf('order-17', 'orders'));
    stage.usedSends = { ...stage.usedSends, read: () => Promise.reject(new Error('throttled')) };

    await expect(redrive('schedules')).rejects.toThrow('throttled');

    expect(await countMessages(sqs, urls.deadLetters)).toEqual({ available: 1, inFlight: 0 });
  });
});
