import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamodbAccountStore } from '../aws/dynamodb-account-store.ts';
import { createDynamodbScheduledSendStore } from '../aws/dynamodb-scheduled-send-store.ts';
import { createDynamodbSendStore } from '../aws/dynamodb-send-store.ts';
import { createEventbridgeSendAlarmClock } from '../aws/eventbridge-send-alarm-clock.ts';
import { createPowertoolsLog, createPowertoolsMetrics } from '../aws/powertools.ts';
import { createSecretsManagerAccessToken } from '../aws/secrets-manager-access-token.ts';
import { createSetVisibility, createSqsSendDeadLetters } from '../aws/sqs-send-queues.ts';
import { createHttpChatService } from '../chat-service/http-chat-service.ts';
import { createHttpPost } from '../chat-service/http-post.ts';
import { readEnvironment } from '../environment.ts';
import { machineClock, machineRandomness } from '../machine.ts';
import { createQueueHandler } from '../queue-handler.ts';
import { sendEnvironment } from './environment.ts';
import { createScheduleSend } from './schedule-send.ts';
import { createSendMessage } from './send-message.ts';
import { createSendQueueMessage } from './send-queue-message.ts';
import { createWakeScheduled } from './wake-scheduled.ts';

const environment = readEnvironment(sendEnvironment, process.env);

/** AWS's services answer in milliseconds; three attempts, the SDK's default, take ten seconds at the most. */
const AWS_CALL = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true };
const sqs = new SQSClient({ requestHandler: AWS_CALL });
const log = createPowertoolsLog();
const metrics = createPowertoolsMetrics();
const deadLetters = createSqsSendDeadLetters(sqs, environment.SEND_DEAD_LETTER_QUEUE_URL);

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** A batch has ten groups at most. */
const MAX_CONNECTIONS = 10;
/** A free-form call and a template after error 201, each once more with a fresh token; and the writes around them. */
const ENOUGH_TIME_MS = 4 * (CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS) + 11_000;

const dynamodb = new DynamoDBClient({ requestHandler: AWS_CALL });
const secretsManager = new SecretsManagerClient({ requestHandler: AWS_CALL });
const account = { platform: environment.CHAT_PLATFORM, channel: environment.CHAT_CHANNEL_NUMBER };

const table = {
  client: dynamodb,
  tableName: environment.TABLE_NAME,
  retentionDays: environment.RETENTION_DAYS,
};
const store = createDynamodbSendStore({ ...table, account });
const scheduled = createDynamodbScheduledSendStore(table);

const sendMessage = createSendMessage({
  store,
  accounts: createDynamodbAccountStore({ client: dynamodb, tableName: environment.TABLE_NAME, account }),
  chatService: createHttpChatService({
    baseUrl: environment.CHAT_SERVICE_URL,
    contactCheckPath: environment.CONTACT_CHECK_PATH,
    accessToken: createSecretsManagerAccessToken(secretsManager, environment.ACCESS_TOKEN_SECRET_ID),
    post: createHttpPost({
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      maxConnections: MAX_CONNECTIONS,
    }),
  }),
  deadLetters,
  clock: machineClock,
  randomness: machineRandomness,
  log,
  metrics,
  rules: {
    chatPlatform: environment.CHAT_PLATFORM,
    chatChannelNumber: environment.CHAT_CHANNEL_NUMBER,
    windowMarginMs: environment.WINDOW_MARGIN_SECONDS * 1000,
    defaultTemplate: environment.DEFAULT_TEMPLATE,
    numberFormat: environment.NUMBER_FORMAT,
    clientPayload: environment.CLIENT_PAYLOAD,
    contactCheck: environment.CONTACT_CHECK,
  },
  leaseMs: environment.CLAIM_LEASE_SECONDS * 1000,
  probeLeaseMs: ENOUGH_TIME_MS,
});

const scheduleSend = createScheduleSend({
  scheduled,
  alarms: createEventbridgeSendAlarmClock({
    groupName: environment.SCHEDULE_GROUP_NAME,
    setting: {
      roleArn: environment.SCHEDULE_ROLE_ARN,
      sendQueueUrl: environment.SEND_QUEUE_URL,
      deadLetterQueueArn: environment.SCHEDULE_DEAD_LETTER_QUEUE_ARN,
    },
  }),
  sendMessage,
  store,
  deadLetters,
  clock: machineClock,
  log,
  metrics,
});

const handleMessage = createSendQueueMessage({
  sendMessage: scheduleSend,
  deadLetters,
  chatPlatform: environment.CHAT_PLATFORM,
  chatChannelNumber: environment.CHAT_CHANNEL_NUMBER,
  windowPer: environment.WINDOW_PER,
  log,
  metrics,
});

export const handler = createQueueHandler({
  handleMessage: createWakeScheduled({ scheduled, clock: machineClock, log, handleMessage }),
  setVisibility: createSetVisibility(sqs, environment.SEND_QUEUE_URL),
  enoughTimeMs: ENOUGH_TIME_MS,
  log,
  metrics,
});
