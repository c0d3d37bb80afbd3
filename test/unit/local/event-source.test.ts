import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ACCOUNT_ID, REGION } from '../../../local/aws-variables.ts';
import { type SqsEmulator, startSqs } from '../../../local/emulators/sqs.ts';
import {
  type EventSourceMappingDeclaration,
  type RunningMapping,
  startEventSourceMapping,
} from '../../../local/event-source/event-source-mapping.ts';
import { failedMessages } from '../../../local/event-source/failed-messages.ts';
import type { InvocationResult } from '../../../local/lambda/function-declaration.ts';
import { eventually } from '../../support/eventually.ts';

const event = z.object({
  Records: z.array(
    z.looseObject({ messageId: z.string(), body: z.string(), attributes: z.record(z.string(), z.string()) }),
  ),
});
type Records = z.output<typeof event>['Records'];

let emulator: SqsEmulator;
let sqs: SQSClient;
let mapping: RunningMapping | undefined;

beforeAll(async () => {
  emulator = await startSqs();
  sqs = new SQSClient({
    endpoint: emulator.url,
    region: REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
afterEach(async () => {
  mapping?.stop();
  await mapping?.ended;
});
afterAll(async () => {
  sqs.destroy();
  await emulator.close();
});

const createQueue = async (name: string, attributes: Record<string, string> = {}): Promise<string> => {
  await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: { VisibilityTimeout: '60', ...attributes } }));
  return `${emulator.url}/${ACCOUNT_ID}/${name}`;
};

/** A mapping to a function that answers as given, and all records that the function has been handed, batch by batch. */
const startMapping = (
  queueUrl: string,
  answer: (records: Records) => Promise<unknown> | unknown,
  changes: Partial<EventSourceMappingDeclaration> = {},
) => {
  const batches: Records[] = [];
  const declaration = {
    logicalId: 'Mapping',
    queueArn: `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${queueUrl.split('/').at(-1)}`,
    functionNameOrArn: 'fake',
    batchSize: 10,
    batchingWindowMs: 0,
    reportsBatchItemFailures: true,
    maximumConcurrency: undefined,
    ...changes,
  };
  const invoke = async (payload: string): Promise<InvocationResult> => {
    const { Records } = event.parse(JSON.parse(payload));
    batches.push(Records);
    try {
      return { ok: true, payload: JSON.stringify((await answer(Records)) ?? null) };
    } catch (error) {
      return { ok: false, error: { errorType: 'Error', errorMessage: String(error) } };
    }
  };
  const surroundings = { sqs, queueUrl, region: REGION, invoke, concurrency: 2, warn: () => undefined };
  mapping = startEventSourceMapping(declaration, surroundings);
  return { batches, bodies: () => batches.flat().map(({ body }) => body) };
};

const send = (QueueUrl: string, MessageBody: string, group?: string) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody,
      ...(group && { MessageGroupId: group, MessageDeduplicationId: MessageBody }),
    }),
  );

const counts = async (QueueUrl: string): Promise<readonly [visible: number, inFlight: number]> => {
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return [Number(Attributes.ApproximateNumberOfMessages), Number(Attributes.ApproximateNumberOfMessagesNotVisible)];
};

const untilCounts = (queueUrl: string, expected: readonly [number, number]) =>
  eventually(async () => (String(await counts(queueUrl)) === String(expected) ? true : undefined));

describe('an event source mapping', () => {
  it('hands a message over in the documented form', async () => {
    const queueUrl = await createQueue('form.fifo', { FifoQueue: 'true' });
    const { batches } = startMapping(queueUrl, () => null);

    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: 'test',
        MessageGroupId: 'group',
        MessageDeduplicationId: 'once',
        MessageAttributes: {
          text: { DataType: 'String', StringValue: 'a' },
          bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) },
        },
      }),
    );

    const [[record] = []] = await eventually(() => (batches.length > 0 ? batches : undefined));
    expect(record).toEqual({
      messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      receiptHandle: expect.any(String),
      body: 'test',
      attributes: {
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        SenderId: expect.any(String),
        SequenceNumber: expect.stringMatching(/^\d{20}$/),
        MessageGroupId: 'group',
        MessageDeduplicationId: 'once',
      },
      messageAttributes: {
        text: { stringValue: 'a', stringListValues: [], binaryListValues: [], dataType: 'String' },
        bytes: { binaryValue: 'AP8=', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
      },
      md5OfMessageAttributes: expect.stringMatching(/^[0-9a-f]{32}$/),
      md5OfBody: '098f6bcd4621d373cade4e832627b4f6',
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:form.fifo`,
      awsRegion: REGION,
    });
  });

  it('deletes what did not fail, and leaves the reported messages in the queue', async () => {
    const queueUrl = await createQueue('partial');
    const { bodies } = startMapping(queueUrl, (records) => ({
      batchItemFailures: records
        .filter(({ body }) => body === 'bad')
        .map(({ messageId }) => ({ itemIdentifier: messageId })),
    }));

    await Promise.all(['good', 'bad', 'fine'].map((body) => send(queueUrl, body)));

    await untilCounts(queueUrl, [0, 1]);
    expect(bodies().toSorted()).toEqual(['bad', 'fine', 'good']);
  });

  it('leaves the whole batch when the function fails, and hands it over again after the visibility time-out', async () => {
    const queueUrl = await createQueue('failing', { VisibilityTimeout: '1' });
    let attempts = 0;
    const { batches } = startMapping(queueUrl, () => {
      attempts += 1;
      if (attempts === 1) throw new Error('first attempt');
    });

    await send(queueUrl, 'again');

    await untilCounts(queueUrl, [0, 0]);
    expect(batches.flat().map(({ attributes }) => attributes.ApproximateReceiveCount)).toEqual(['1', '2']);
  });

  it("keeps each group's order while several groups are in flight", async () => {
    const queueUrl = await createQueue('order.fifo', { FifoQueue: 'true' });
    const names = ['a', 'b', 'c'];
    for (let number = 0; number < 5; number += 1)
      for (const name of names) await send(queueUrl, `${name}${number}`, name);
    let busy = 0;
    let mostAtOnce = 0;

    const { bodies } = startMapping(
      queueUrl,
      async () => {
        busy += 1;
        mostAtOnce = Math.max(mostAtOnce, busy);
        // Stays in flight until the other poller has come by.
        await eventually(() => (mostAtOnce > 1 ? true : undefined));
        busy -= 1;
      },
      { batchSize: 1 },
    );

    await untilCounts(queueUrl, [0, 0]);
    for (const name of names) {
      expect(bodies().filter((body) => body.startsWith(name))).toEqual(
        [0, 1, 2, 3, 4].map((number) => `${name}${number}`),
      );
    }
    expect(mostAtOnce).toBe(2);
  });

  it('waits for a fuller batch as long as its window lasts', async () => {
    const queueUrl = await createQueue('window');
    const { batches } = startMapping(queueUrl, () => null, { batchSize: 12, batchingWindowMs: 20_000 });

    await Promise.all(Array.from({ length: 24 }, (_, number) => send(queueUrl, String(number))));

    await untilCounts(queueUrl, [0, 0]);
    expect(batches.map((batch) => batch.length)).toEqual([12, 12]);
  });
});

describe('the queues', () => {
  it.each([
    ['messageGroup', ['a', 'b']],
    ['queue', ['a']],
  ])('take a deduplication id once per %s, and hand it back as it was', async (scope, taken) => {
    const QueueUrl = await createQueue(`${scope}.fifo`, { FifoQueue: 'true', DeduplicationScope: scope });

    for (const MessageGroupId of ['a', 'b', 'a', 'b']) {
      const message = { MessageGroupId, MessageBody: MessageGroupId, MessageDeduplicationId: 'one "id"' };
      await sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    }

    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
    );
    expect(Messages.map(({ Body }) => Body)).toEqual(taken);
    expect(Messages.map(({ Attributes }) => Attributes?.MessageDeduplicationId)).toEqual(taken.map(() => 'one "id"'));
  });

  it('are found by name at the address at which they listen', async () => {
    const queueUrl = await createQueue('named');

    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'named' }));

    expect(QueueUrl).toBe(queueUrl);
  });

  it("run on the run's clock: a visibility time-out ends when the clock is moved past it", async () => {
    const queueUrl = await createQueue('clock', { VisibilityTimeout: '43200' });
    await send(queueUrl, 'hidden');
    const receive = async () =>
      (await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }))).Messages?.length ?? 0;
    const [first, hidden] = [await receive(), await receive()];

    await emulator.setClock(43_201_000);
    const after = await receive();

    expect([first, hidden, after]).toEqual([1, 0, 1]);
  });
});

describe('the messages that fail', () => {
  const failed = (result: InvocationResult, reports = true) => [...failedMessages(result, ['1', '2'], reports)];
  const answered = (answer: unknown) => failed({ ok: true, payload: JSON.stringify(answer) });

  it.each([
    ['an empty list', { batchItemFailures: [] }],
    ['no list', { batchItemFailures: null }],
    ['an empty answer', {}],
    ['no answer', null],
  ])('are none with %s', (_name, answer) => {
    expect(answered(answer)).toEqual([]);
  });

  it('are those that are reported', () => {
    expect(answered({ batchItemFailures: [{ itemIdentifier: '2' }] })).toEqual(['2']);
  });

  it.each([
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['no id', { batchItemFailures: [{ itemIdentifier: null }] }],
    ['another name', { batchItemFailures: [{ id: '1' }] }],
    ['an id of no message of the batch', { batchItemFailures: [{ itemIdentifier: '9' }, { itemIdentifier: '1' }] }],
    ['a list of ids', { batchItemFailures: ['1'] }],
    ['no list where one belongs', { batchItemFailures: '1' }],
    ['a text for an answer', 'ok'],
  ])('are all with %s', (_name, answer) => {
    expect(answered(answer)).toEqual(['1', '2']);
  });

  it('are all when the function fails', () => {
    expect(failed({ ok: false, error: { errorType: 'Error', errorMessage: '' } })).toEqual(['1', '2']);
  });

  it('are none, whatever the answer, when the mapping declares no partial failures', () => {
    expect(failed({ ok: true, payload: '{"batchItemFailures":[{"itemIdentifier":"1"}]}' }, false)).toEqual([]);
  });
});
