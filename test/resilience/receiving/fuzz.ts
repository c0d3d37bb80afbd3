import { paginateScan } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createDynamodbEventStore } from '../../../lambdas/aws/dynamodb-event-store.ts';
import { createSqsInboundQueue } from '../../../lambdas/aws/sqs-inbound-queue.ts';
import { decodePost } from '../../../lambdas/domain/verified-post.ts';
import { machineClock } from '../../../lambdas/machine.ts';
import type { Log } from '../../../lambdas/ports.ts';
import { createReceiveEvent } from '../../../lambdas/receive/receive-event.ts';
import { createStoreEvent } from '../../../lambdas/receive/store-event.ts';
import { createWebhookHandler } from '../../../lambdas/receive/webhook-handler.ts';
import { startSqs } from '../../../local/emulators/sqs.ts';
import { silentMetrics } from '../../support/silent.ts';
import { startEmulatedTables } from '../../unit/lambdas/aws/emulated-table.ts';
import { fuzzBodies } from './fuzz-bodies.ts';
import { startFuzzCarriers } from './fuzz-carriers.ts';

export interface FuzzResult {
  readonly posts: number;
  /** How often each HTTP status was answered. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What the function said that it did with the posts that it answered with 200. */
  readonly said: { readonly stored: number; readonly quarantined: number; readonly other: number };
  /** Of those that it said were stored, how many stand in the table. */
  readonly inTable: number;
  /** How many of ours stand in the dead-letter queue, each with its reason, its arrival and its body. */
  readonly inQuarantine: number;
  readonly unhandled: number;
}

const BATCH = 250;
const AT_ONCE = 25;

/** Posts generated bodies, signed by every kind of carrier in turn, to the real handler with the real adapters. */
export const fuzz = async (
  { count, seed }: { readonly count: number; readonly seed: number },
  onProgress: (done: number) => void = () => undefined,
): Promise<FuzzResult> => {
  const [tables, queues, { carriers, close }] = await Promise.all([
    startEmulatedTables(),
    startSqs(),
    startFuzzCarriers(machineClock),
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
    const queueUrl = async (QueueName: string) =>
      `${queues.url}${new URL((await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? '').pathname}`;
    const [inbound, deadLetters] = [await queueUrl('inbound'), await queueUrl('dead-letters')];
    const told = createListeningLog();
    const storeEvent = createStoreEvent({
      store: createDynamodbEventStore({ client: tables.client, tableName, retentionDays: 400, budgetMs: 60_000 }),
      defaultPlatform: 'chat',
      windowPer: 'user',
    });
    const inboundQueue = createSqsInboundQueue({
      client: sqs,
      queueUrl: inbound,
      deadLetterQueueUrl: deadLetters,
      budgetMs: 60_000,
    });
    const shared = { clock: machineClock, log: told.log, metrics: silentMetrics };
    const receiveEvent = createReceiveEvent({ storeEvent, inboundQueue, ...shared });
    const handlers = carriers.map(({ verifier, sign }) => ({
      sign,
      handle: createWebhookHandler({ verifier, receiveEvent, ...shared }),
    }));
    const statuses = new Map<string, number>();
    let inQuarantine = 0;
    let done = 0;

    const post = async (index: number, body: ReturnType<typeof fuzzBodies>[number]): Promise<void> => {
      const { sign, handle } = handlers[index % handlers.length] ?? handlers[0] ?? fail('There is no carrier.');
      const { bytes, headers } = sign(body.bytes);
      const event = {
        headers: { ...body.headers, ...headers },
        body: bytes.toString('base64'),
        isBase64Encoded: true,
      };
      // The handler reads nothing else of its event.
      const status = await handle(event as unknown as APIGatewayProxyEventV2).then(
        ({ statusCode }) => String(statusCode),
        (error) => `threw ${error}`,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };

    for (let batch = 0; done < count; batch += 1) {
      const bodies = fuzzBodies(Math.min(BATCH, count - done), seed + batch);
      const waiting = bodies.map((body, index) => [done + index, body] as const).values();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const [index, body] of waiting) await post(index, body);
        }),
      );
      done += bodies.length;
      inQuarantine += await takeQuarantined(sqs, deadLetters);
      onProgress(done);
    }
    const keys = await keysOf(tables.client, tableName);
    return {
      posts: count,
      statuses: Object.fromEntries(statuses),
      said: { stored: told.stored.length, quarantined: told.quarantined(), other: told.other() },
      inTable: told.stored.filter((key) => keys.has(key)).length,
      inQuarantine,
      unhandled,
    };
  } finally {
    process.off('unhandledRejection', onUnhandled).off('uncaughtException', onUnhandled);
    sqs.destroy();
    await Promise.all([tables.close(), queues.close(), close()]);
  }
};

const fail = (message: string): never => {
  throw new Error(message);
};

/** Hears from the function's own log what it did. */
const createListeningLog = () => {
  const stored: string[] = [];
  let quarantined = 0;
  let other = 0;
  const hear = (_message: string, { receipt, event, id }: Record<string, unknown>): void => {
    if (receipt === 'stored') stored.push(`MESSAGE#${id} ${event === 'echo' ? 'ECHO' : 'MESSAGE'}`);
    else if (receipt === 'quarantined') quarantined += 1;
    else if (receipt !== undefined) other += 1;
  };
  const log: Log = { info: hear, warn: hear, error: hear };
  return { log, stored, quarantined: () => quarantined, other: () => other };
};

/** Takes what stands in quarantine; answers how many of them a person could work with. */
const takeQuarantined = async (sqs: SQSClient, QueueUrl: string): Promise<number> => {
  let usable = 0;
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['reason'] }),
    );
    if (Messages.length === 0) return usable;
    usable += Messages.filter(
      ({ Body = '', MessageAttributes }) =>
        Buffer.byteLength(Body) <= 1024 * 1024 &&
        decodePost(Body)?.receivedAt !== undefined &&
        MessageAttributes?.reason?.StringValue === JSON.parse(Body).reason,
    ).length;
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
};

const keysOf = async (client: Parameters<typeof paginateScan>[0]['client'], TableName: string) => {
  const keys = new Set<string>();
  const pages = paginateScan({ client }, { TableName, ProjectionExpression: 'pk, sk' });
  for await (const { Items = [] } of pages) for (const { pk, sk } of Items) keys.add(`${pk?.S} ${sk?.S}`);
  return keys;
};
