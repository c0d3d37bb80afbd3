import { paginateScan } from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import { createSqsInboundQueue } from '../../../lambdas/adapters/sqs.ts';
import { ms } from '../../../lambdas/domain/duration.ts';
import { parseSerializedRequest } from '../../../lambdas/domain/serialized-request.ts';
import type { Log } from '../../../lambdas/ports.ts';
import { createDrainMessage } from '../../../lambdas/receive/drain-message.ts';
import { createReceiveEvents } from '../../../lambdas/receive/receive-events.ts';
import { createStoreEvents } from '../../../lambdas/receive/store-events.ts';
import { createWebhookHandler } from '../../../lambdas/receive/webhook-handler.ts';
import { systemClock, systemRandomness } from '../../../lambdas/runtime/system.ts';
import { startSqs } from '../../../local/emulators/sqs/sqs.ts';
import { PLAIN_RECEIVER } from '../../support/builders.ts';
import { VERIFIED_AND_SMALL } from '../../support/drain-options.ts';
import { startEmulatedTables } from '../../support/emulated-table.ts';
import { sqsRecord } from '../../support/sqs-record.ts';
import { silentMetrics } from '../../support/telemetry.ts';
import { type FuzzBody, fuzzBodies } from './fuzz-bodies.ts';
import { type Delivery, startDeliveries } from './fuzz-deliveries.ts';
import { type PostReading, readPost } from './fuzz-reading.ts';
import {
  countRepeated,
  countSenders,
  type FuzzResult,
  receiptIn,
  SENDER_ATTRIBUTES,
  type StoredEvent,
  storedKey,
} from './fuzz-result.ts';

const BATCH = 250;
const CONCURRENCY = 25;
const KEYWORDS = { optOut: ['BAJA'], optIn: ['ALTA'], buttons: true };

/** Posts generated bodies, signed by each kind of delivery in turn, to the real handler with the real adapters. */
export const fuzz = async (
  { count, seed }: { readonly count: number; readonly seed: number },
  onProgress: (done: number) => void = () => undefined,
): Promise<FuzzResult> => {
  const [tables, queues, { deliveries, close }] = await Promise.all([
    startEmulatedTables(),
    startSqs(),
    startDeliveries(systemClock),
  ]);
  const sqs = new SQSClient({
    region: 'local',
    endpoint: queues.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  let unhandled = 0;
  const onUnhandled = () => {
    unhandled += 1;
  };
  process.on('unhandledRejection', onUnhandled).on('uncaughtException', onUnhandled);
  try {
    const tableName = await tables.createTable();
    const createQueue = async (QueueName: string) =>
      `${queues.url}${new URL((await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? '').pathname}`;
    const [queueUrl, deadLetterQueueUrl] = [await createQueue('inbound'), await createQueue('dead-letters')];
    const table = tables.tableOf(tableName);
    const repositories = {
      contacts: createDynamodbContacts(table, { readsHandovers: false }),
      messages: createDynamodbMessages(table, { gapClock: undefined }),
      sends: createDynamodbSends(table),
    };
    const recorded = createRecordingLog();
    const shared = { clock: systemClock, log: recorded.log, metrics: silentMetrics };
    const ports = {
      ...shared,
      storeEvents: createStoreEvents({
        ...PLAIN_RECEIVER,
        repositories: () => repositories,
        clock: systemClock,
        budgetMs: ms(60_000),
        chatPlatform: 'chat',
        windowPer: 'user',
        chatChannelNumber: '+5491100000000',
        keywords: KEYWORDS,
      }),
      inboundQueue: createSqsInboundQueue({ client: sqs, queueUrl, deadLetterQueueUrl, budgetMs: ms(60_000) }),
    };
    const receiveEvents = createReceiveEvents(ports);
    // A deferred request names its envelope.
    const drain = createDrainMessage({
      ...ports,
      ...VERIFIED_AND_SMALL,
      randomness: systemRandomness,
      format: { envelope: undefined, readsPubsubHeaders: false },
    });
    const posts = deliveries.map((delivery) =>
      createPost(
        delivery,
        createWebhookHandler({ ...shared, verifier: delivery.verifier, format: delivery.format, receiveEvents }),
      ),
    );
    const readings: PostReading[] = [];
    const statuses: Record<string, number> = {};
    let inQuarantine = 0;
    let done = 0;
    for (let batch = 0; done < count; batch += 1) {
      const bodies = fuzzBodies(Math.min(BATCH, count - done), seed + batch);
      const waiting = bodies.entries();
      const work = async () => {
        for (const [index, body] of waiting) {
          const turn = (done + index) % deliveries.length;
          const status = (await posts[turn]?.(body)) ?? 'not posted';
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (status === '200') readings.push(readPost(body.bytes, deliveries[turn]?.isText));
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
      done += bodies.length;
      for await (const { Body } of takeMessages(sqs, queueUrl)) await drain(sqsRecord(Body ?? ''));
      for await (const message of takeMessages(sqs, deadLetterQueueUrl)) if (isUsable(message)) inQuarantine += 1;
      onProgress(done);
    }
    const items = await itemsOf(tables.client, tableName);
    const { stored = 0, quarantined = 0, deferred = 0, ...others } = recorded.receipts;
    return {
      requests: count,
      statuses,
      events: readings.reduce((sum, { events }) => sum + events, 0),
      logged: { stored, quarantined, deferred, other: Object.keys(others).length },
      inTable: recorded.stored.filter((event) => items.has(storedKey(event))).length,
      repeated: countRepeated(recorded.stored, readings),
      inQuarantine,
      senders: countSenders(items.values(), readings),
      unhandled,
    };
  } finally {
    process.off('unhandledRejection', onUnhandled).off('uncaughtException', onUnhandled);
    sqs.destroy();
    await Promise.all([tables.close(), queues.close(), close()]);
  }
};

/** Creates a function that posts a body and returns the HTTP status, or the error that the handler threw. */
const createPost =
  ({ sign }: Delivery, handle: ReturnType<typeof createWebhookHandler>) =>
  async (body: FuzzBody): Promise<string> => {
    const { bytes, headers } = sign(body.bytes);
    const event = {
      headers: { ...body.headers, ...headers },
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    };
    // The handler reads nothing else of its event.
    return handle(event as unknown as APIGatewayProxyEventV2).then(
      ({ statusCode }) => String(statusCode),
      (error) => `threw ${error}`,
    );
  };

/** Records from the function's log what it did with each request. */
const createRecordingLog = () => {
  const stored: StoredEvent[] = [];
  const receipts: Record<string, number> = {};
  const record = (message: string, { id, event }: Record<string, unknown>): void => {
    const receipt = receiptIn(message);
    if (receipt === undefined) return;
    receipts[receipt] = (receipts[receipt] ?? 0) + 1;
    if (receipt === 'stored') stored.push({ id, event });
  };
  const log: Log = { info: record, warn: record, error: record };
  return { log, stored, receipts };
};

/** Takes all messages from a queue. */
async function* takeMessages(sqs: SQSClient, QueueUrl: string): AsyncGenerator<Message> {
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['reason'] }),
    );
    if (Messages.length === 0) return;
    yield* Messages;
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

/** Whether an operator can work with a message from quarantine. */
const isUsable = ({ Body = '', MessageAttributes }: Message): boolean =>
  Buffer.byteLength(Body) <= 1024 * 1024 &&
  parseSerializedRequest(Body)?.receivedAt !== undefined &&
  MessageAttributes?.reason?.StringValue === JSON.parse(Body).reason;

const itemsOf = async (client: Parameters<typeof paginateScan>[0]['client'], TableName: string) => {
  const items = new Map<string, Record<string, unknown>>();
  const ProjectionExpression = ['sk', ...SENDER_ATTRIBUTES].join(', ');
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ProjectionExpression })) {
    for (const stored of Items) {
      const item = unmarshall(stored);
      items.set(`${item.pk} ${item.sk}`, item);
    }
  }
  return items;
};
