import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { createDynamodbEventStore } from '../aws/dynamodb-event-store.ts';
import { createPowertoolsLog, createPowertoolsMetrics } from '../aws/powertools.ts';
import { createSqsInboundQueue } from '../aws/sqs-inbound-queue.ts';
import { readEnvironment } from '../environment.ts';
import { machineClock } from '../machine.ts';
import { createQueueHandler } from '../queue-handler.ts';
import { createKeySet } from './auth/key-set.ts';
import { createPubsubJwtVerifier } from './auth/pubsub-jwt-verifier.ts';
import { createDrainMessage } from './drain-message.ts';
import { receiveEnvironment } from './environment.ts';
import { createReceiveEvent } from './receive-event.ts';
import { createStoreEvent } from './store-event.ts';
import { createWebhookHandler } from './webhook-handler.ts';

const environment = readEnvironment(receiveEnvironment, process.env);

/**
 * The webhook answers within two seconds, whatever the table and the queue do: the keys, the table and the queue each get
 * their share of it.
 */
const TABLE_BUDGET_MS = 700;
const QUEUE_BUDGET_MS = 300;
const ONE_CALL = { connectionTimeout: 200, requestTimeout: 300, throwOnRequestTimeout: true };

const log = createPowertoolsLog();
const metrics = createPowertoolsMetrics();
const inboundQueue = createSqsInboundQueue({
  client: new SQSClient({ maxAttempts: 2, requestHandler: ONE_CALL }),
  queueUrl: environment.INBOUND_QUEUE_URL,
  deadLetterQueueUrl: environment.INBOUND_DEAD_LETTER_QUEUE_URL,
  budgetMs: QUEUE_BUDGET_MS,
});
const storeEvent = createStoreEvent({
  store: createDynamodbEventStore({
    client: new DynamoDBClient({ maxAttempts: 2, requestHandler: ONE_CALL }),
    tableName: environment.TABLE_NAME,
    retentionDays: environment.RETENTION_DAYS,
    budgetMs: TABLE_BUDGET_MS,
  }),
  defaultPlatform: environment.CHAT_PLATFORM,
});

const { WEBHOOK_AUTH: auth } = environment;
const webhook = createWebhookHandler({
  verifier: createPubsubJwtVerifier(auth, createKeySet({ url: auth.jwksUrl, clock: machineClock }), machineClock),
  receiveEvent: createReceiveEvent({ storeEvent, inboundQueue, log, metrics }),
  clock: machineClock,
  log,
  metrics,
});
const drain = createQueueHandler({
  handleMessage: createDrainMessage({ storeEvent, inboundQueue, log, metrics }),
  enoughTimeMs: 2 * (TABLE_BUDGET_MS + QUEUE_BUDGET_MS),
  log,
  metrics,
});

/** One function, two ways in: the HTTP API's posts, and the inbound queue's messages, which are posts that waited. */
export const handler = (event: APIGatewayProxyEventV2 | SQSEvent, context: Context) =>
  'Records' in event ? drain(event, context) : webhook(event);
