import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createHttpChatService } from '../adapters/chat-service/http-chat-service.ts';
import { createHttpPost } from '../adapters/chat-service/http-post.ts';
import { createDynamodbCircuit } from '../adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../adapters/dynamodb/sends.ts';
import { createConversationTable } from '../adapters/dynamodb/table.ts';
import { createEventBridgeScheduler } from '../adapters/scheduler.ts';
import { createSecretsManagerAccessToken } from '../adapters/secrets.ts';
import { createSetVisibility, createSqsClient, createSqsSendDeadLetterQueue } from '../adapters/sqs.ts';
import { parseEnvironment } from '../runtime/environment.ts';
import { createTelemetry, frame } from '../runtime/frame.ts';
import { createQueueHandler } from '../runtime/queue-handler.ts';
import { systemClock, systemRandomness } from '../runtime/system.ts';
import { sendEnvironment } from './environment.ts';
import { createPrepareSend } from './prepare-send.ts';
import { createSendMessage } from './send-message.ts';

const environment = parseEnvironment(sendEnvironment, process.env);
const { log, metrics, middlewares } = createTelemetry();

/** AWS services respond within milliseconds. With these timeouts, the SDK's three attempts take ten seconds at most. */
const AWS_CALL = { requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true } };

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** A batch contains at most ten message groups. */
const MAX_CONNECTIONS = 10;
/** Enough for a free-form call, a template after error 201, a retry of each with a refreshed token, and all writes. */
const REQUIRED_TIME_MS = 4 * (CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS) + 11_000;

const { CHAT_PLATFORM: chatPlatform, CHAT_CHANNEL_NUMBER: chatChannelNumber } = environment;
const sqs = createSqsClient(AWS_CALL);
const table = createConversationTable({
  client: new DynamoDBClient(AWS_CALL),
  tableName: environment.TABLE_NAME,
  retentionDays: environment.RETENTION_DAYS,
});
const account = { platform: chatPlatform, channel: chatChannelNumber };

/** Shared by the two steps: preparing a send and sending it. */
const shared = {
  sends: createDynamodbSends(table),
  messages: createDynamodbMessages(table),
  deadLetters: createSqsSendDeadLetterQueue(sqs, environment.SEND_DEAD_LETTER_QUEUE_URL),
  clock: systemClock,
  log,
  metrics,
};

const sendMessage = createSendMessage({
  ...shared,
  contacts: createDynamodbContacts(table),
  circuits: createDynamodbCircuit(table, account),
  account,
  chatService: createHttpChatService({
    baseUrl: environment.CHAT_SERVICE_URL,
    contactCheckPath: environment.CONTACT_CHECK_PATH,
    accessToken: createSecretsManagerAccessToken(
      new SecretsManagerClient(AWS_CALL),
      environment.ACCESS_TOKEN_SECRET_ID,
    ),
    post: createHttpPost({
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      maxConnections: MAX_CONNECTIONS,
    }),
  }),
  randomness: systemRandomness,
  rules: {
    chatPlatform,
    chatChannelNumber,
    windowMarginMs: environment.WINDOW_MARGIN_SECONDS * 1000,
    defaultTemplate: environment.DEFAULT_TEMPLATE,
    numberFormat: environment.NUMBER_FORMAT,
    clientPayload: environment.CLIENT_PAYLOAD,
    contactCheck: environment.CONTACT_CHECK,
  },
  leaseMs: environment.CLAIM_LEASE_SECONDS * 1000,
  probeLeaseMs: REQUIRED_TIME_MS,
});

const prepareSend = createPrepareSend({
  ...shared,
  scheduler: createEventBridgeScheduler({
    groupName: environment.SCHEDULE_GROUP_NAME,
    target: {
      roleArn: environment.SCHEDULE_ROLE_ARN,
      sendQueueUrl: environment.SEND_QUEUE_URL,
      deadLetterQueueArn: environment.SCHEDULE_DEAD_LETTER_QUEUE_ARN,
    },
  }),
  contactDefaults: { chatPlatform, chatChannelNumber, windowPer: environment.WINDOW_PER },
  sendMessage,
});

export const handler = frame(
  createQueueHandler({
    handleMessage: prepareSend,
    setVisibility: createSetVisibility(sqs, environment.SEND_QUEUE_URL),
    requiredTimeMs: REQUIRED_TIME_MS,
    log,
  }),
  middlewares,
);
