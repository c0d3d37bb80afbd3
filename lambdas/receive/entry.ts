import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { createDynamodbChannelNotes } from '../adapters/dynamodb/channels.ts';
import { createDynamodbClient } from '../adapters/dynamodb/client.ts';
import { createContactWrites } from '../adapters/dynamodb/contact-writes.ts';
import { createConversationTable } from '../adapters/dynamodb/conversation-table.ts';
import { closeGap } from '../adapters/dynamodb/gaps.ts';
import { createMessageArrivals } from '../adapters/dynamodb/message-arrivals.ts';
import { createMessageStatuses } from '../adapters/dynamodb/message-statuses.ts';
import { createSendConfirmations } from '../adapters/dynamodb/send-confirmations.ts';
import { createSentMessages } from '../adapters/dynamodb/sent-messages.ts';
import { createTransactionLinks } from '../adapters/dynamodb/transactions.ts';
import { createSecretsClient, createSecretsManagerWebhookSecret } from '../adapters/secrets.ts';
import { ms } from '../domain/duration.ts';
import { deliveryFormat } from '../domain/webhook-auth.ts';
import type { InboundQueue, WebhookSecret } from '../ports.ts';
import { parseAwsVariables, parseEnvironment, variablesOf } from '../runtime/environment.ts';
import { createTelemetry, frame, type Invocation } from '../runtime/frame.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';
import { systemClock, systemRandomness } from '../runtime/system.ts';
import { answeringProbes } from './answer-probes.ts';
import { createVerifier } from './auth/create-verifier.ts';
import { receiveEnvironment } from './environment.ts';
import { createInboundQueueHandler } from './inbound-queue-handler.ts';
import { createConfirmOptOut } from './keywords/confirm-opt-out.ts';
import { loadingWhileSlow } from './loading-while-slow.ts';
import { createReceiveEvents } from './receive-events.ts';
import { createStoreEvents } from './store-events.ts';
import { SDK_TIMEOUTS, TIME_BUDGET } from './time-budget.ts';
import { createVerifyRequest } from './verify-request.ts';
import { type ArrivalRepositories, createWatchArrivals } from './watch/watch-arrivals.ts';
import { createWebhookHandler } from './webhook-handler.ts';

const variables = variablesOf(process.env);
const environment = parseEnvironment(receiveEnvironment, variables);
const aws = parseAwsVariables(variables);
const { log, metrics, middlewares } = createTelemetry();
const sdk = { maxAttempts: 2, requestHandler: SDK_TIMEOUTS };

const tableOptions = {
  client: createDynamodbClient({
    ...aws,
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB,
    ...sdk,
  }),
  tableName: environment.TABLE_NAME,
  retentionDays: environment.RETENTION_DAYS,
};

/** Loaded on first use: few messages need the SQS client, and loading it would lengthen every cold start. */
const sqs = onFirstUse(async () => {
  const adapters = await import('../adapters/sqs.ts');
  return { ...adapters, client: adapters.createSqsClient(sdk) };
});
const { SEND_QUEUE_URL: sendQueueUrl, KEYWORDS: keywords } = environment;
/** Undefined in a stage that does not confirm opt-outs by keyword. */
const confirmOptOut =
  sendQueueUrl === undefined
    ? undefined
    : createConfirmOptOut({
        keywords,
        openQueue: (abortSignal) => ({
          async put(message) {
            const { createSqsSendQueue, client } = await sqs();
            await createSqsSendQueue(client, sendQueueUrl, abortSignal).put(message);
          },
        }),
      });
const openArrivals = (abortSignal: AbortSignal): ArrivalRepositories => {
  const table = createConversationTable({ ...tableOptions, abortSignal });
  return { channels: createDynamodbChannelNotes(table), gaps: { close: (id, at) => closeGap(table, id, at) } };
};
const writeEvents = createStoreEvents({
  repositories(abortSignal) {
    const table = createConversationTable({ ...tableOptions, abortSignal });
    // Most writes use one of them.
    return {
      get contacts() {
        return createContactWrites(table);
      },
      get messages() {
        const gapClock = environment.WATCH ? systemClock : undefined;
        return {
          ...createMessageArrivals(table),
          ...createMessageStatuses(table, { gapClock }),
          ...createSentMessages(table),
        };
      },
      get sends() {
        return { ...createSendConfirmations(table), ...createTransactionLinks(table) };
      },
    };
  },
  clock: systemClock,
  budgetMs: TIME_BUDGET.table,
  chatPlatform: environment.CHAT_PLATFORM,
  windowPer: environment.WINDOW_PER,
  chatChannelNumber: environment.CHAT_CHANNEL_NUMBER,
  keywords,
  followUpOf: confirmOptOut,
  operatorEchoes: environment.OPERATOR_ECHOES,
  turns: environment.TURNS ?? false,
  watch: environment.WATCH ? createWatchArrivals({ open: openArrivals, clock: systemClock }) : undefined,
});
const storeEvents = answeringProbes(writeEvents, { log, metrics });

/** For events that the table does not accept, and for those that waited for it. */
const queue = onFirstUse(async () => {
  const { createChangeVisibility, createSqsInboundQueue, client } = await sqs();
  return {
    ...createSqsInboundQueue({
      client,
      queueUrl: environment.INBOUND_QUEUE_URL,
      deadLetterQueueUrl: environment.INBOUND_DEAD_LETTER_QUEUE_URL,
      budgetMs: TIME_BUDGET.queue,
    }),
    changeVisibility: createChangeVisibility(client, environment.INBOUND_QUEUE_URL),
  };
});
const inboundQueue: InboundQueue = {
  defer: async (request) => (await queue()).defer(request),
  quarantine: async (request, reason) => (await queue()).quarantine(request, reason),
};

/** For the kinds of authentication that use a secret. */
const openSecret = (): WebhookSecret => {
  const { WEBHOOK_SECRET_ID: secretId, AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint } = environment;
  if (secretId === undefined) throw new Error('WEBHOOK_SECRET_ID is missing; deploy the stack again.');
  return createSecretsManagerWebhookSecret(
    createSecretsClient({ ...aws, endpoint, ...sdk }),
    secretId,
    TIME_BUDGET.verification,
  );
};

const format = deliveryFormat(environment.WEBHOOK_AUTH);
const verifier = createVerifier(environment.WEBHOOK_AUTH, {
  clock: systemClock,
  log,
  fetchTimeoutMs: TIME_BUDGET.verification,
  openSecret,
});
const webhook = createWebhookHandler({
  verifier,
  format,
  receiveEvents: createReceiveEvents({
    storeEvents: loadingWhileSlow(storeEvents, queue, ms(TIME_BUDGET.table / 2)),
    inboundQueue,
    log,
    metrics,
  }),
  clock: systemClock,
  log,
  metrics,
});
const drain = createInboundQueueHandler({
  storeEvents,
  inboundQueue,
  changeVisibility: async (changes) => (await queue()).changeVisibility(changes),
  clock: systemClock,
  randomness: systemRandomness,
  format,
  quarantineMessage: async (body, reason) => (await queue()).quarantineMessage(body, reason),
  verifyRequest: createVerifyRequest({ verifier, format, log, metrics }),
  log,
  metrics,
});

/** Handles webhook requests, and messages from the inbound queue, which are webhook requests too. */
export const handler = frame(
  async (event: APIGatewayProxyEventV2 | SQSEvent, invocation: Invocation) =>
    'Records' in event ? drain(event, invocation) : webhook(event),
  middlewares,
);
