import type { SQSEvent } from 'aws-lambda';
import { createHttpChatService } from '../adapters/chat-service/http-chat-service.ts';
import { createHttpPost } from '../adapters/chat-service/http-post.ts';
import { createDynamodbCircuit } from '../adapters/dynamodb/circuit.ts';
import { createDynamodbClient } from '../adapters/dynamodb/client.ts';
import { createDynamodbContacts } from '../adapters/dynamodb/contacts.ts';
import { createConversationTable } from '../adapters/dynamodb/conversation-table.ts';
import { createDynamodbSends } from '../adapters/dynamodb/sends.ts';
import { createSentMessages } from '../adapters/dynamodb/sent-messages.ts';
import { createEventBridgeScheduler } from '../adapters/scheduler.ts';
import { createSecretsClient, createSecretsManagerAccessToken } from '../adapters/secrets.ts';
import { receiveFloorMs } from '../domain/backoff.ts';
import { toMs } from '../domain/duration.ts';
import { CONNECT_TIMEOUT_SECONDS, timeLimits } from '../domain/time-limits.ts';
import type { SendDeadLetterQueue } from '../ports.ts';
import { parseAwsVariables, parseEnvironment, variablesOf } from '../runtime/environment.ts';
import { createTelemetry, frame, type Invocation } from '../runtime/frame.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';
import { createQueueHandler } from '../runtime/queue-handler.ts';
import { sendRulesOf } from '../runtime/send-rules.ts';
import { sleep, systemClock, systemRandomness } from '../runtime/system.ts';
import { createAccountView } from './account-view.ts';
import { createCallPace } from './bulk/call-pace.ts';
import { parseBulkLane } from './bulk/environment.ts';
import { createLanes, type Lane } from './bulk/lanes.ts';
import { sendEnvironment } from './environment.ts';
import { createGiveUp } from './give-up.ts';
import { createPrepareSend } from './prepare-send.ts';
import type { SendContext } from './send-context.ts';
import { createSendMessage } from './send-message.ts';

const variables = variablesOf(process.env);
const environment = parseEnvironment(sendEnvironment, variables);
/** Undefined in a stage without a bulk queue. */
const bulkLane = parseBulkLane(variables);
const aws = parseAwsVariables(variables);
const { log, metrics, middlewares } = createTelemetry();

/** AWS services respond within milliseconds. With these timeouts, the SDK's three attempts take ten seconds at most. */
const AWS_CALL = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
};

const MAX_ANSWER_BYTES = 1024 * 1024;

const limits = timeLimits(environment.ANSWER_TIMEOUT_SECONDS);

const { CHAT_PLATFORM: chatPlatform, CHAT_CHANNEL_NUMBER: chatChannelNumber } = environment;
const table = createConversationTable({
  client: createDynamodbClient({
    ...aws,
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB,
    ...AWS_CALL,
  }),
  tableName: environment.TABLE_NAME,
  retentionDays: environment.RETENTION_DAYS,
  abortSignal: undefined,
});
const contactDefaults = { chatPlatform, chatChannelNumber, windowPer: environment.WINDOW_PER };
const account = { platform: chatPlatform, channel: chatChannelNumber };

const chatService = createHttpChatService({
  baseUrl: environment.CHAT_SERVICE_URL,
  contactCheckPath: environment.CONTACT_CHECK_PATH,
  accessToken: createSecretsManagerAccessToken(
    createSecretsClient({ ...aws, endpoint: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER, ...AWS_CALL }),
    environment.ACCESS_TOKEN_SECRET_ID,
  ),
  post: createHttpPost({
    connectTimeoutMs: toMs(CONNECT_TIMEOUT_SECONDS),
    answerTimeoutMs: toMs(environment.ANSWER_TIMEOUT_SECONDS),
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxConnections: Math.max(environment.MAX_CONCURRENT_CALLS, bulkLane?.maxConcurrentCalls ?? 0),
  }),
});

/** What both queues share. */
const shared = {
  contacts: createDynamodbContacts(table, { readsHandovers: environment.OPERATORS !== undefined }),
  sends: createDynamodbSends(table),
  messages: createSentMessages(table),
  circuits: createDynamodbCircuit(table, account),
  chatService,
  clock: systemClock,
  sleep,
  randomness: systemRandomness,
  log,
  metrics,
  account,
  accountView: createAccountView(),
  contactDefaults,
  defaultNotAfter: environment.DEFAULT_NOT_AFTER,
  rules: sendRulesOf(environment, {
    clientPayload: environment.CLIENT_PAYLOAD,
    optOutConfirmation: environment.OPT_OUT_CONFIRMATION,
  }),
  leaseMs: toMs(limits.leaseSeconds),
  probeLeaseMs: toMs(limits.probeSeconds),
  callTimeMs: toMs(limits.callSeconds),
};

const createHandleBatch = ({ queueUrl, deadLetterQueueUrl, maxConcurrentCalls, intervalMs, ageMetric }: Lane) => {
  const pace = intervalMs === undefined ? undefined : createCallPace({ ...shared, intervalMs, maxConcurrentCalls });
  /** For requests that wait, and for those that cannot be processed. */
  const queue = onFirstUse(async () => {
    const { createChangeVisibility, createSqsClient, createSqsSendDeadLetterQueue } = await import(
      '../adapters/sqs.ts'
    );
    const client = createSqsClient(AWS_CALL);
    return {
      deadLetters: createSqsSendDeadLetterQueue(client, deadLetterQueueUrl),
      changeVisibility: createChangeVisibility(client, queueUrl),
    };
  });
  const deadLetters: SendDeadLetterQueue = {
    put: async (message, reason) => (await queue()).deadLetters.put(message, reason),
  };
  const context: SendContext = {
    ...shared,
    deadLetters,
    scheduler: createEventBridgeScheduler({
      groupName: environment.SCHEDULE_GROUP_NAME,
      target: {
        roleArn: environment.SCHEDULE_ROLE_ARN,
        sendQueueUrl: queueUrl,
        deadLetterQueueArn: environment.SCHEDULE_DEAD_LETTER_QUEUE_ARN,
        keyArn: environment.SCHEDULE_KEY_ARN,
      },
    }),
    maxConcurrentCalls,
    pace,
  };
  const handleBatch = createQueueHandler({
    handleMessage: createPrepareSend(context, createSendMessage(context)),
    minimumWaitMs: receiveFloorMs,
    handleFailure: createGiveUp(context),
    changeVisibility: async (changes) => (await queue()).changeVisibility(changes),
    clock: systemClock,
    requiredTimeMs: toMs(limits.requiredSeconds),
    log,
    metrics,
    ageMetric,
  });
  return async (event: SQSEvent, invocation: Invocation) => {
    pace?.startInvocation();
    return handleBatch(event, invocation);
  };
};

export const handler = frame(
  createLanes(
    createHandleBatch({
      queueUrl: environment.SEND_QUEUE_URL,
      deadLetterQueueUrl: environment.SEND_DEAD_LETTER_QUEUE_URL,
      maxConcurrentCalls: environment.MAX_CONCURRENT_CALLS,
      intervalMs: undefined,
      ageMetric: 'RetriedMessageAge',
    }),
    bulkLane && { ...bulkLane, handleBatch: createHandleBatch(bulkLane) },
  ),
  middlewares,
);
