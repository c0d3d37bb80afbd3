import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { createDynamodbContacts } from '../adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../adapters/dynamodb/sends.ts';
import { createConversationTable } from '../adapters/dynamodb/table.ts';
import { createSecretsManagerWebhookSecret } from '../adapters/secrets.ts';
import { createChangeVisibility, createSqsClient, createSqsInboundQueue } from '../adapters/sqs.ts';
import { parseEnvironment } from '../runtime/environment.ts';
import { createTelemetry, frame, type Invocation } from '../runtime/frame.ts';
import { systemClock, systemRandomness } from '../runtime/system.ts';
import { createVerifier } from './auth/create-verifier.ts';
import { deliveryFormat } from './auth/webhook-auth.ts';
import { receiveEnvironment } from './environment.ts';
import { createInboundQueueHandler } from './inbound-queue-handler.ts';
import { createReceiveEvent } from './receive-event.ts';
import { createStoreEvent } from './store-event.ts';
import { SDK_TIMEOUTS, TIME_BUDGET } from './time-budget.ts';
import { createWebhookHandler } from './webhook-handler.ts';

const environment = parseEnvironment(receiveEnvironment, process.env);
const { log, metrics, middlewares } = createTelemetry();
const sdk = { maxAttempts: 2, requestHandler: SDK_TIMEOUTS };
const sqs = createSqsClient(sdk);

const tableOptions = {
  client: new DynamoDBClient(sdk),
  tableName: environment.TABLE_NAME,
  retentionDays: environment.RETENTION_DAYS,
};
const storeEvent = createStoreEvent({
  repositories(abortSignal) {
    const table = createConversationTable({ ...tableOptions, abortSignal });
    return {
      contacts: createDynamodbContacts(table),
      messages: createDynamodbMessages(table),
      sends: createDynamodbSends(table),
    };
  },
  clock: systemClock,
  budgetMs: TIME_BUDGET.table,
  chatPlatform: environment.CHAT_PLATFORM,
  windowPer: environment.WINDOW_PER,
});
const inboundQueue = createSqsInboundQueue({
  client: sqs,
  queueUrl: environment.INBOUND_QUEUE_URL,
  deadLetterQueueUrl: environment.INBOUND_DEAD_LETTER_QUEUE_URL,
  budgetMs: TIME_BUDGET.queue,
});

const openSecret = () => {
  const { WEBHOOK_SECRET_ID: secretId } = environment;
  if (secretId === undefined) throw new Error('WEBHOOK_SECRET_ID is missing; deploy the stack again.');
  return createSecretsManagerWebhookSecret(new SecretsManagerClient(sdk), secretId, TIME_BUDGET.verification);
};

const format = deliveryFormat(environment.WEBHOOK_AUTH);
const webhook = createWebhookHandler({
  verifier: createVerifier(environment.WEBHOOK_AUTH, {
    clock: systemClock,
    log,
    fetchTimeoutMs: TIME_BUDGET.verification,
    openSecret,
  }),
  format,
  receiveEvent: createReceiveEvent({ storeEvent, inboundQueue, log, metrics }),
  clock: systemClock,
  log,
  metrics,
});
const drain = createInboundQueueHandler({
  storeEvent,
  inboundQueue,
  changeVisibility: createChangeVisibility(sqs, environment.INBOUND_QUEUE_URL),
  clock: systemClock,
  randomness: systemRandomness,
  format,
  log,
  metrics,
});

/** Handles webhook requests, and messages from the inbound queue, which are deferred webhook requests. */
export const handler = frame(
  async (event: APIGatewayProxyEventV2 | SQSEvent, invocation: Invocation) =>
    'Records' in event ? drain(event, invocation) : webhook(event),
  middlewares,
);
