import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { createAwsJsonClient } from '../adapters/aws-json-client.ts';
import { createHttpChatService } from '../adapters/chat-service/http-chat-service.ts';
import { createHttpPost } from '../adapters/chat-service/http-post.ts';
import { createDynamodbAudit } from '../adapters/dynamodb/audit.ts';
import { createDynamodbChangeReader, DYNAMODB_STREAMS } from '../adapters/dynamodb/change-reader.ts';
import { createDynamodbChannels } from '../adapters/dynamodb/channels.ts';
import { createDynamodbCircuit } from '../adapters/dynamodb/circuit.ts';
import { createDynamodbClient } from '../adapters/dynamodb/client.ts';
import { createDynamodbContacts } from '../adapters/dynamodb/contacts.ts';
import { createConversationTable } from '../adapters/dynamodb/conversation-table.ts';
import { createDynamodbEchoes } from '../adapters/dynamodb/echoes.ts';
import { createDynamodbErasures } from '../adapters/dynamodb/erasures.ts';
import { createDynamodbGaps } from '../adapters/dynamodb/gaps.ts';
import { createDynamodbKeptDeadLetters } from '../adapters/dynamodb/kept-dead-letters.ts';
import { createDynamodbMessages } from '../adapters/dynamodb/messages.ts';
import { createSendConfirmations } from '../adapters/dynamodb/send-confirmations.ts';
import { createDynamodbSendLists } from '../adapters/dynamodb/send-lists.ts';
import { createSendOperations } from '../adapters/dynamodb/send-operations.ts';
import { createDynamodbStops } from '../adapters/dynamodb/stops.ts';
import { createDynamodbStoredEvents } from '../adapters/dynamodb/stored-events.ts';
import { createTransactionLinks } from '../adapters/dynamodb/transactions.ts';
import { createDynamodbTurns } from '../adapters/dynamodb/turns.ts';
import { createEventBridgeBus, createEventBridgeClient } from '../adapters/eventbridge.ts';
import { createScheduleCancellation } from '../adapters/scheduler.ts';
import { createCurrentAccessToken, createSecretsClient } from '../adapters/secrets.ts';
import { ms } from '../domain/duration.ts';
import { parseAwsVariables, parseEnvironment, variablesOf } from '../runtime/environment.ts';
import { createTelemetry, frame, type Invocation } from '../runtime/frame.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';
import { sendRulesOf } from '../runtime/send-rules.ts';
import { systemClock, systemRandomness } from '../runtime/system.ts';
import type { Answer } from './api/answer.ts';
import { CHECK_CONCURRENCY } from './api/contact-checks.ts';
import type { ManagementCall } from './api/define-route.ts';
import { QUEUE_ROUTES, TABLE_ROUTES } from './api/routes.ts';
import { createCheckTokenExpiry } from './check-token-expiry.ts';
import { type KeepDeadLettersEvent, manageEnvironment, type WatchArrivalsEvent } from './environment.ts';
import { createErasureQueueHandler } from './erasure-queue-handler.ts';
import { createKeepDeadLetters, keepDeadLetter } from './keep-dead-letters.ts';
import { answerErrors, createManagementHandler } from './management-handler.ts';
import { createRedriveTurns } from './turns/redrive-turns.ts';
import { createWatchArrivals } from './watch/watch-arrivals.ts';

const variables = variablesOf(process.env);
const environment = parseEnvironment(manageEnvironment, variables);
const aws = parseAwsVariables(variables);
const { log, metrics, middlewares } = createTelemetry();

/**
 * AWS services respond within milliseconds, except that an empty receive takes a second. With these timeouts, the SDK's
 * three attempts take at most 13 seconds, so a call that hangs leaves time for the rest of an API call or a turn.
 */
const AWS_CALL = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

/** With a repetition after a 401, a call takes at most 20 seconds, which the time limits of a contact check rely on. */
const CHAT_SERVICE_CALL = {
  connectTimeoutMs: ms(2_000),
  answerTimeoutMs: ms(8_000),
  maxAnswerBytes: 1024 * 1024,
  maxConnections: CHECK_CONCURRENCY,
};
/** Enough to store ten dead letters of the maximum size, and to release those that stay. */
const KEEP_REQUIRED_TIME_MS = 20_000;

/** Enough for a page of messages of which only statuses have arrived. */
const WATCH_REQUIRED_TIME_MS = 15_000;

const {
  CHAT_PLATFORM: chatPlatform,
  CHAT_CHANNEL_NUMBER: chatChannelNumber,
  CHAT_SERVICE_URL: chatServiceUrl,
  RETENTION_DAYS: retentionDays,
  WINDOW_PER: windowPer,
  WINDOW_MARGIN_SECONDS: windowMarginSeconds,
} = environment;
const table = createConversationTable({
  client: createDynamodbClient({
    ...aws,
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB,
    ...AWS_CALL,
  }),
  tableName: environment.TABLE_NAME,
  retentionDays,
  abortSignal: undefined,
});

const keepOptions = {
  deadLetters: createDynamodbKeptDeadLetters(table),
  clock: systemClock,
  randomness: systemRandomness,
  chatPlatform,
};

const accessToken = createCurrentAccessToken(
  createSecretsClient({ ...aws, endpoint: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER, ...AWS_CALL }),
  environment.ACCESS_TOKEN_SECRET_ID,
);
const account = { platform: chatPlatform, channel: chatChannelNumber };
const ports = {
  contacts: createDynamodbContacts(table, { readsHandovers: environment.OPERATORS !== undefined }),
  messages: createDynamodbMessages(table, { gapClock: undefined }),
  sends: { ...createSendOperations(table), ...createSendConfirmations(table), ...createTransactionLinks(table) },
  lists: createDynamodbSendLists(table),
  circuits: createDynamodbCircuit(table, account),
  stops: createDynamodbStops(table, account),
  channels: createDynamodbChannels(table),
  gaps: createDynamodbGaps(table),
  watches: environment.WATCH ?? false,
  storedEvents: createDynamodbStoredEvents(table),
  echoes: createDynamodbEchoes(table),
  eventMeanings: { keywords: environment.KEYWORDS, operatorEchoes: environment.OPERATOR_ECHOES },
  deadLetters: keepOptions.deadLetters,
  audit: createDynamodbAudit(table, systemRandomness),
  erasures: createDynamodbErasures(table),
  scheduler: createScheduleCancellation(environment.SCHEDULE_GROUP_NAME),
  accessToken,
  chatService: createHttpChatService({
    baseUrl: chatServiceUrl,
    contactCheckPath: environment.CONTACT_CHECK_PATH,
    accessToken,
    post: createHttpPost(CHAT_SERVICE_CALL),
  }),
  contactDefaults: { chatPlatform, chatChannelNumber, windowPer },
  rules: sendRulesOf(environment, { clientPayload: 'off', optOutConfirmation: undefined }),
  defaultNotAfter: environment.DEFAULT_NOT_AFTER,
  settings: {
    chatPlatform,
    chatChannelNumber,
    chatServiceUrl,
    windowMarginSeconds,
    windowPer,
    retentionDays,
  },
  clock: systemClock,
  randomness: systemRandomness,
  log,
  metrics,
};

/** Returns undefined for a stack without a publisher. */
const publisherPorts = () => {
  const {
    EVENT_BUS_NAME: busName,
    EVENT_CONTENT: content,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: streams,
  } = environment;
  if (busName === undefined || content === undefined || bus === undefined || streams === undefined) return undefined;
  return {
    bus: createEventBridgeBus(createEventBridgeClient({ ...aws, endpoint: bus, ...AWS_CALL }), busName),
    changes: createDynamodbChangeReader({
      table,
      streams: createAwsJsonClient(DYNAMODB_STREAMS, { ...aws, endpoint: streams, ...AWS_CALL }),
      clock: systemClock,
    }),
    turns: createRedriveTurns(createDynamodbTurns(table)),
    content,
  };
};

/** What needs the client of SQS, which few calls use. Loading it takes longer than such a call. */
const queues = onFirstUse(async () => {
  const [{ createSqsClient }, { createSqsStageQueues }] = await Promise.all([
    import('../adapters/sqs.ts'),
    import('../adapters/sqs-stage-queues.ts'),
  ]);
  const urls = {
    queues: {
      send: environment.SEND_QUEUE_URL,
      bulk: environment.BULK_SEND_QUEUE_URL,
      inbound: environment.INBOUND_QUEUE_URL,
      erasures: environment.ERASURE_QUEUE_URL,
    },
    deadLetters: {
      send: environment.SEND_DEAD_LETTER_QUEUE_URL,
      bulk: environment.BULK_SEND_DEAD_LETTER_QUEUE_URL,
      inbound: environment.INBOUND_DEAD_LETTER_QUEUE_URL,
      schedules: environment.SCHEDULE_DEAD_LETTER_QUEUE_URL,
      erasures: environment.ERASURE_DEAD_LETTER_QUEUE_URL,
      publishing: environment.PUBLISH_FAILURES_QUEUE_URL,
      targets: environment.UNDELIVERED_EVENTS_QUEUE_URL,
    },
    others: environment.DEAD_LETTER_QUEUE_URLS,
  };
  const { kept, publishing, targets, ...others } = createSqsStageQueues(createSqsClient(AWS_CALL), urls, (deadLetter) =>
    keepDeadLetter(keepOptions, deadLetter),
  );
  const publisher = publisherPorts();
  const republish =
    publisher === undefined || publishing === undefined ? undefined : { ...publisher, publishing, targets };
  return { ports: { ...ports, ...others, republish }, kept };
});

type Responder = (call: ManagementCall) => Promise<Answer>;

const responders = new Map([
  ...Object.values(TABLE_ROUTES).map(({ route, respond }): [string, Responder] => [
    route,
    (call) => respond(ports, call),
  ]),
  ...Object.values(QUEUE_ROUTES).map(({ route, respond }): [string, Responder] => [
    route,
    async (call) => respond((await queues()).ports, call),
  ]),
]);
const manage = frame(createManagementHandler({ responders, log }), [...middlewares, answerErrors(log)]);
const eraseContacts = onFirstUse(async () => createErasureQueueHandler((await queues()).ports));
const erase = frame(
  async (event: SQSEvent, invocation: Invocation) => (await eraseContacts())(event, invocation),
  middlewares,
);

const checkTokenExpiry = createCheckTokenExpiry(ports);
const keep = frame(async (_event: KeepDeadLettersEvent, invocation: Invocation) => {
  await checkTokenExpiry();
  const keepDeadLetters = createKeepDeadLetters({ sources: (await queues()).kept, ...keepOptions, log, metrics });
  return keepDeadLetters(() => invocation.getRemainingTimeInMillis() > KEEP_REQUIRED_TIME_MS);
}, middlewares);

const watchArrivals = createWatchArrivals(ports);
const watch = frame(
  async (_event: WatchArrivalsEvent, invocation: Invocation) =>
    watchArrivals(() => invocation.getRemainingTimeInMillis() > WATCH_REQUIRED_TIME_MS),
  middlewares,
);

/**
 * Handles calls to the API; messages from the erasure queue, because an erasure can outlast a call; the daily schedule,
 * which keeps dead letters and checks when the access token expires; and the schedule that looks for what did not arrive.
 */
export const handler = (
  event: APIGatewayProxyEventV2 | SQSEvent | KeepDeadLettersEvent | WatchArrivalsEvent,
  context: Context,
) => {
  if ('Records' in event) return erase(event, context);
  if ('watchArrivals' in event) return watch(event, context);
  return 'keepDeadLetters' in event ? keep(event, context) : manage(event, context);
};
