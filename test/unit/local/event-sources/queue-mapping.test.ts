import {
  ChangeMessageVisibilityBatchCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ACCOUNT_ID, CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import {
  type QueueMappingDeclaration,
  type RunningMapping,
  startQueueMapping,
} from '../../../../local/event-sources/queue-mapping.ts';
import type { InvocationResult } from '../../../../local/functions/invocation.ts';
import { eventually } from '../../../support/eventually.ts';

const event = z.object({
  Records: z.array(
    z.looseObject({
      messageId: z.string(),
      receiptHandle: z.string(),
      body: z.string(),
      attributes: z.record(z.string(), z.string()),
    }),
  ),
});
type Records = z.output<typeof event>['Records'];

let emulator: ListeningServer;
let sqs: SQSClient;
let mapping: RunningMapping | undefined;

beforeAll(async () => {
  emulator = await startSqs();
  sqs = new SQSClient({
    endpoint: emulator.url,
    region: REGION,
    credentials: CREDENTIALS,
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

/** Starts a mapping to a function that responds as given; `batches` holds the records of each invocation. */
const startMapping = (
  queueUrl: string,
  respond: (records: Records) => Promise<unknown> | unknown,
  changes: Partial<QueueMappingDeclaration> = {},
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
      return { ok: true, payload: JSON.stringify((await respond(Records)) ?? null) };
    } catch (error) {
      return { ok: false, error: { errorType: 'Error', errorMessage: String(error) } };
    }
  };
  mapping = startQueueMapping(declaration, { sqs, queueUrl, invoke, concurrency: 2, warn: () => undefined });
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

describe('an event source mapping of a queue', () => {
  it('passes a message to the function in the documented form', async () => {
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

  it('deletes the messages that did not fail, and keeps the reported ones in the queue', async () => {
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

  it('retries the whole batch after the visibility timeout when the function fails', async () => {
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

  it('keeps the order of each message group while several groups are in flight', async () => {
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
        // Stays in flight until the other poller has received a batch.
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

  it('passes several messages of a message group in one batch, in order, and only one batch of the group at a time', async () => {
    const queueUrl = await createQueue('group.fifo', { FifoQueue: 'true' });
    const all = Array.from({ length: 12 }, (_, number) => String(number));
    for (const body of all) await send(queueUrl, body, 'a');
    let busy = 0;
    const atOnce: number[] = [];

    const { batches } = startMapping(queueUrl, async () => {
      busy += 1;
      atOnce.push(busy);
      // Meanwhile, the other poller asks the queue and gets nothing.
      await counts(queueUrl);
      busy -= 1;
    });

    await untilCounts(queueUrl, [0, 0]);
    expect(atOnce).toEqual([1, 1]);
    expect(batches.map((batch) => batch.map(({ body }) => body))).toEqual([all.slice(0, 10), all.slice(10)]);
  });

  it('waits for a full batch until the batching window ends', async () => {
    const queueUrl = await createQueue('window');
    const { batches } = startMapping(queueUrl, () => null, { batchSize: 12, batchingWindowMs: 20_000 });

    await Promise.all(Array.from({ length: 24 }, (_, number) => send(queueUrl, String(number))));

    await untilCounts(queueUrl, [0, 0]);
    expect(batches.map((batch) => batch.length)).toEqual([12, 12]);
  });
});

/**
 * What the function does with a batch: it fails completely, or at one message and therefore at the rest of its group.
 */
const failure = fc.oneof(fc.constant('batch' as const), fc.nat({ max: 9 }));

describe('an event source mapping of a FIFO queue', () => {
  it('keeps the order of each message group, whatever fails', async () => {
    let run = 0;
    const property = fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 25 }),
      fc.array(failure, { maxLength: 8 }),
      fc.integer({ min: 1, max: 10 }),
      async (groups, failures, batchSize) => {
        run += 1;
        const queueUrl = await createQueue(`property-${run}.fifo`, { FifoQueue: 'true' });
        const sent = groups.map((group, number) => ({ group, body: `${group}${number}` }));
        for (const { group, body } of sent) await send(queueUrl, body, group);
        const remaining = [...failures];
        const done: string[] = [];
        const respond = async (records: Records) => {
          const next = remaining.shift();
          const failed = next === undefined ? [] : failedRecords(records, next);
          done.push(...records.filter((record) => !failed.includes(record)).map(({ body }) => body));
          // Without this, a failed message would be hidden for the queue's visibility timeout.
          if (failed.length > 0) await giveBack(queueUrl, failed);
          if (next === 'batch') throw new Error('The function fails.');
          return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
        };

        startMapping(queueUrl, respond, { batchSize });
        await untilCounts(queueUrl, [0, 0]);
        mapping?.stop();
        await mapping?.ended;

        for (const name of ['a', 'b', 'c']) {
          const expected = sent.filter(({ group }) => group === name).map(({ body }) => body);
          expect(done.filter((body) => body.startsWith(name))).toEqual(expected);
        }
      },
    );
    await fc.assert(property, { numRuns: 20 });
  });
});

const failedRecords = (records: Records, failed: number | 'batch'): Records => {
  if (failed === 'batch') return records;
  const groupOf = ({ attributes }: Records[number]) => attributes.MessageGroupId;
  const first = records[failed % records.length];
  return records.filter(
    (record, index) => first && groupOf(record) === groupOf(first) && index >= records.indexOf(first),
  );
};

const giveBack = (QueueUrl: string, records: Records) =>
  sqs.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl,
      Entries: records.map(({ receiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: 0,
      })),
    }),
  );
