import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2, SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import {
  createSqsClient,
  createSqsInboundQueue,
  createSqsSendQueue,
  type SqsInboundQueue,
} from '../../../lambdas/adapters/sqs.ts';
import type { WindowPer } from '../../../lambdas/domain/contact.ts';
import { ms } from '../../../lambdas/domain/duration.ts';
import type { OperatorEchoes } from '../../../lambdas/domain/handovers/operator-echo.ts';
import { addMs } from '../../../lambdas/domain/instant.ts';
import type { Keywords } from '../../../lambdas/domain/keywords/keywords.ts';
import { deliveryFormat, type WebhookAuth } from '../../../lambdas/domain/webhook-auth.ts';
import type {
  Clock,
  InboundQueue,
  MessageRepository,
  SendQueue,
  WebhookSecret,
  WebhookVerifier,
} from '../../../lambdas/ports.ts';
import { createVerifier } from '../../../lambdas/receive/auth/create-verifier.ts';
import { createInboundQueueHandler } from '../../../lambdas/receive/inbound-queue-handler.ts';
import { createConfirmOptOut } from '../../../lambdas/receive/keywords/confirm-opt-out.ts';
import { createReceiveEvents } from '../../../lambdas/receive/receive-events.ts';
import { createStoreEvents, type StoreEvents } from '../../../lambdas/receive/store-events.ts';
import { TIME_BUDGET } from '../../../lambdas/receive/time-budget.ts';
import { createVerifyRequest } from '../../../lambdas/receive/verify-request.ts';
import { createWebhookHandler } from '../../../lambdas/receive/webhook-handler.ts';
import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import { ACCOUNT, PLAIN_RECEIVER } from '../../support/builders.ts';
import { silentLog, silentMetrics } from '../../support/telemetry.ts';
import { type Failures, throwing } from './faults.ts';
import type { ReachableQueue, SimulatedQueue } from './queues.ts';
import { createSimulatedSqsClient } from './sqs-client.ts';
import { createSimulatedTable, type TableState } from './table.ts';
import { queueName, type Touches } from './touches.ts';
import type { PortTurns } from './turns.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A way to break the function on purpose. Each instance belongs to one process. */
export interface ReceiveMutation {
  readonly table?: (table: ConversationTable) => Partial<ConversationTable>;
  readonly inboundQueue?: (queue: InboundQueue) => Partial<InboundQueue>;
  readonly confirmations?: (queue: SendQueue, process: string) => SendQueue;
  readonly storeEvents?: (storeEvents: StoreEvents, clock: Clock) => StoreEvents;
  readonly verifier?: (verifier: WebhookVerifier) => WebhookVerifier;
  readonly response?: (response: SQSBatchResponse) => SQSBatchResponse;
  /** How the management API reads messages. */
  readonly reading?: (messages: MessageRepository, table: ConversationTable) => Partial<MessageRepository>;
}

export interface ReceiveProcessOptions {
  readonly name: string;
  readonly clock: VirtualClock;
  /** How far the clock of this process is ahead, so that each delivery has its own time of arrival. */
  readonly aheadMs: number;
  readonly turns: PortTurns;
  readonly table: TableState;
  readonly queue: Pick<SimulatedQueue, 'put' | 'putDeadLetter' | 'setVisibility'>;
  readonly windowPer: WindowPer;
  readonly mutation?: ReceiveMutation;
  /** How webhook requests are verified. @default no verification */
  readonly auth?: WebhookAuth;
  /** The secret of the webhook, if its requests are verified. */
  readonly webhookSecret?: WebhookSecret;
  /** @default none */
  readonly keywords?: Keywords | undefined;
  /** The send queue, if the stage confirms opt-outs. @default it confirms none */
  readonly confirmations?: ReachableQueue | undefined;
  /** @default none */
  readonly operatorEchoes?: OperatorEchoes | undefined;
  /** Whether messages are added to turns. @default false */
  readonly hasTurns?: boolean;
  /** @default 0 */
  readonly random?: () => number;
}

/** A placeholder that is never used in a request. */
const SDK_CLIENT = createSqsClient({
  region: 'us-east-1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
});
const INBOUND = 'https://queues.example/inbound';
const QUARANTINE = 'https://queues.example/quarantine';
const SEND = 'https://queues.example/send';

const SERVICES = { table: 'The table', queues: 'The queue' };
const UNVERIFIED: WebhookAuth = { kind: 'insecure-none', envelope: 'pubsub' };

/** Longer than any run: the budget of a call ends by a fault, never by the machine's clock. */
const UNLIMITED_MS = 2 ** 31 - 1;

/** Starts a process of the function `receive`, which handles a webhook request or a message of the inbound queue. */
export const createReceiveProcess = (options: ReceiveProcessOptions) => {
  const { name, clock: worldClock, aheadMs, turns, queue, windowPer, mutation } = options;
  const clock: Clock = aheadMs === 0 ? worldClock : { now: () => addMs(worldClock.now(), aheadMs) };
  const call = <Answer>(
    label: string,
    perform: () => Answer,
    part: 'table' | 'queues',
    key: () => string,
    touches?: () => Touches,
  ) =>
    turns.call({
      ...(touches && { touches }),
      process: name,
      label,
      perform,
      failures: { ...throwing<Answer>(SERVICES[part]), ...overdue<Answer>(turns, { process: name, label, key }) },
      canEndProcess: true,
      part,
      timeoutMs: part === 'table' ? TIME_BUDGET.table : TIME_BUDGET.queue,
    });

  const plainTable = createSimulatedTable(options.table, (label, perform, update, touches) =>
    call(label, perform, 'table', () => `${name} ${label} ${writtenOut(update)}`, touches),
  );
  const table = { ...plainTable, ...mutation?.table?.(plainTable) };

  /** The adapter, with a client that puts its messages on the simulated queue. */
  const createInboundQueue = (): SqsInboundQueue => {
    const send = ({ input }: SendMessageCommand): Promise<void> => {
      const { QueueUrl, MessageBody: body = '', MessageAttributes } = input;
      const reason = MessageAttributes?.reason?.StringValue;
      const isQuarantined = QueueUrl === QUARANTINE;
      const label = isQuarantined ? 'quarantine the request' : 'defer the request';
      const put = () => {
        if (isQuarantined) queue.putDeadLetter({ body, ...(reason !== undefined && { reason }) });
        else queue.put({ body });
      };
      const touched = queueName(isQuarantined ? 'inboundDeadLetters' : 'inbound');
      const touches = () => ({ reads: [], writes: [touched] });
      return call(label, put, 'queues', () => `${name} ${label} ${body}`, touches);
    };
    const client: SQSClient = Object.create(SDK_CLIENT, { send: { value: send } });
    return createSqsInboundQueue({
      client,
      queueUrl: INBOUND,
      deadLetterQueueUrl: QUARANTINE,
      budgetMs: ms(UNLIMITED_MS),
    });
  };
  const plainQueue = createInboundQueue();
  const inboundQueue = { ...plainQueue, ...mutation?.inboundQueue?.(plainQueue) };

  const sendQueueOf = (reached: ReachableQueue): SendQueue => {
    const client = createSimulatedSqsClient({ [SEND]: reached }, ({ effect }, perform) => {
      const label = 'queue the confirmation';
      const touches = () => ({ reads: [], writes: [queueName('send')] });
      return call(label, perform, 'queues', () => `${name} ${label} ${effect}`, touches);
    });
    const plain = createSqsSendQueue(client, SEND);
    return mutation?.confirmations?.(plain, name) ?? plain;
  };
  const confirmations = options.confirmations && sendQueueOf(options.confirmations);

  const plainStoreEvents = createStoreEvents({
    ...PLAIN_RECEIVER,
    repositories: () => ({
      contacts: createDynamodbContacts(table, { readsHandovers: false }),
      messages: createDynamodbMessages(table, { gapClock: undefined }),
      sends: createDynamodbSends(table),
    }),
    clock,
    budgetMs: ms(UNLIMITED_MS),
    chatPlatform: ACCOUNT.platform,
    windowPer,
    chatChannelNumber: '+5491100000000',
    keywords: options.keywords,
    followUpOf: confirmations && createConfirmOptOut({ keywords: options.keywords, openQueue: () => confirmations }),
    operatorEchoes: options.operatorEchoes,
    turns: options.hasTurns ?? false,
  });
  const storeEvents = mutation?.storeEvents?.(plainStoreEvents, clock) ?? plainStoreEvents;
  const receiving = { storeEvents, inboundQueue, log: silentLog, metrics: silentMetrics };
  const { auth = UNVERIFIED } = options;
  const format = deliveryFormat(auth);
  const plainVerifier = createVerifier(auth, {
    clock,
    log: silentLog,
    fetchTimeoutMs: TIME_BUDGET.verification,
    openSecret() {
      if (options.webhookSecret) return options.webhookSecret;
      throw new Error('This kind of authentication has no secret.');
    },
  });
  const verifier = mutation?.verifier?.(plainVerifier) ?? plainVerifier;
  const handleWebhook = createWebhookHandler({
    verifier,
    format,
    receiveEvents: createReceiveEvents(receiving),
    clock,
    log: silentLog,
    metrics: silentMetrics,
  });
  const handleBatch = createInboundQueueHandler({
    ...receiving,
    format,
    verifyRequest: createVerifyRequest({ verifier, format, log: silentLog, metrics: silentMetrics }),
    quarantineMessage: (body, reason) => plainQueue.quarantineMessage(body, reason),
    randomness: { newId: () => name, random: options.random ?? (() => 0) },
    changeVisibility(changes) {
      const label = `set the visibility to ${changes.map(({ seconds }) => seconds).join(', ')} s`;
      const set = () => {
        for (const { receiptHandle, seconds } of changes) queue.setVisibility(receiptHandle, seconds);
      };
      return turns.call({
        process: name,
        label,
        perform: set,
        failures: throwing('The queue'),
        canEndProcess: true,
        isIndependent: true,
        part: 'queues',
      });
    },
    clock,
  });

  return {
    name,
    /** Handles a webhook request. Returns the HTTP status of the answer. */
    async post(request: Pick<APIGatewayProxyEventV2, 'headers' | 'body'>): Promise<number> {
      // The handler uses no other fields of the request.
      const answer = await handleWebhook({ ...request, isBase64Encoded: false } as APIGatewayProxyEventV2);
      return answer.statusCode ?? 200;
    },
    async handle(records: readonly SQSRecord[], invocation: Invocation): Promise<SQSBatchResponse> {
      const response = await handleBatch({ Records: [...records] }, invocation);
      return mutation?.response?.(response) ?? response;
    },
  };
};

/** The caller gives up when its time budget ends, and the call takes effect later. */
const overdue = <Answer>(
  turns: PortTurns,
  effect: { readonly process: string; readonly label: string; readonly key: () => string },
): Failures<Answer> => ({
  overdue(perform) {
    turns.happenLater({ ...effect, key: effect.key(), perform });
    throw Object.assign(new Error('No answer within the time budget.'), { name: 'TimeoutError' });
  },
});

const writtenOut = (update: unknown): string =>
  JSON.stringify(update, (_, value) => (value instanceof Set ? [...value] : value)) ?? '';
