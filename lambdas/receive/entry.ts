import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { createDynamodbEventStore } from '../aws/dynamodb-event-store.ts';
import { createPowertoolsLog, createPowertoolsMetrics } from '../aws/powertools.ts';
import { createSecretsManagerWebhookSecret } from '../aws/secrets-manager-webhook-secret.ts';
import { createSqsInboundQueue } from '../aws/sqs-inbound-queue.ts';
import { createSetVisibility } from '../aws/sqs-send-queues.ts';
import { readEnvironment } from '../environment.ts';
import { machineClock, machineRandomness } from '../machine.ts';
import { createQueueHandler } from '../queue-handler.ts';
import { createVerifier } from './auth/create-verifier.ts';
import { createDrainMessage } from './drain-message.ts';
import { receiveEnvironment } from './environment.ts';
import { createReceiveEvent } from './receive-event.ts';
import { createRestingEventStore } from './resting-event-store.ts';
import { createStoreEvent } from './store-event.ts';
import { ONE_ATTEMPT, TIME_BUDGET } from './time-budget.ts';
import { createWebhookHandler } from './webhook-handler.ts';

const environment = readEnvironment(receiveEnvironment, process.env);

const log = createPowertoolsLog();
const metrics = createPowertoolsMetrics();
const sqs = new SQSClient({ maxAttempts: 2, requestHandler: ONE_ATTEMPT });
const inboundQueue = createSqsInboundQueue({
  client: sqs,
  queueUrl: environment.INBOUND_QUEUE_URL,
  deadLetterQueueUrl: environment.INBOUND_DEAD_LETTER_QUEUE_URL,
  budgetMs: TIME_BUDGET.queue,
});
const eventStore = createDynamodbEventStore({
  client: new DynamoDBClient({ maxAttempts: 2, requestHandler: ONE_ATTEMPT }),
  tableName: environment.TABLE_NAME,
  retentionDays: environment.RETENTION_DAYS,
  budgetMs: TIME_BUDGET.table,
});
const storeEvent = createStoreEvent({
  store: createRestingEventStore(eventStore, machineClock),
  defaultPlatform: environment.CHAT_PLATFORM,
  windowPer: environment.WINDOW_PER,
});

const openSecret = () => {
  const { WEBHOOK_SECRET_ID: secretId } = environment;
  if (secretId === undefined) throw new Error('WEBHOOK_SECRET_ID is missing; deploy the stack again.');
  const client = new SecretsManagerClient({ maxAttempts: 2, requestHandler: ONE_ATTEMPT });
  return createSecretsManagerWebhookSecret({ client, secretId, budgetMs: TIME_BUDGET.verification });
};
const webhook = createWebhookHandler({
  verifier: createVerifier(environment.WEBHOOK_AUTH, {
    clock: machineClock,
    fetchTimeoutMs: TIME_BUDGET.verification,
    openSecret,
  }),
  receiveEvent: createReceiveEvent({ storeEvent, inboundQueue, log, metrics }),
  clock: machineClock,
  log,
  metrics,
});
const drain = createQueueHandler({
  handleMessage: createDrainMessage({ storeEvent, inboundQueue, randomness: machineRandomness, log, metrics }),
  setVisibility: createSetVisibility(sqs, environment.INBOUND_QUEUE_URL),
  enoughTimeMs: 2 * (TIME_BUDGET.table + TIME_BUDGET.queue),
  log,
  metrics,
});

/** One function, two ways in: the HTTP API's posts, and the inbound queue's messages, which are posts that waited. */
export const handler = (event: APIGatewayProxyEventV2 | SQSEvent, context: Context) =>
  'Records' in event ? drain(event, context) : webhook(event);
