import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { createDynamodbConversationDesk } from '../aws/dynamodb-conversation-desk.ts';
import { createDynamodbErasureStore } from '../aws/dynamodb-erasure-store.ts';
import { createDynamodbScheduledSendStore } from '../aws/dynamodb-scheduled-send-store.ts';
import { createDynamodbSendDesk } from '../aws/dynamodb-send-desk.ts';
import { createEventbridgeSendAlarmClock } from '../aws/eventbridge-send-alarm-clock.ts';
import { createPowertoolsLog, createPowertoolsMetrics } from '../aws/powertools.ts';
import { createSecretsManagerAccessToken } from '../aws/secrets-manager-access-token.ts';
import { createSqsErasureQueue, createSqsSendQueue } from '../aws/sqs-management-queues.ts';
import { createSetVisibility } from '../aws/sqs-send-queues.ts';
import { createCancelScheduledSend } from '../cancel-scheduled-send.ts';
import { createHttpChatService } from '../chat-service/http-chat-service.ts';
import { createHttpPost } from '../chat-service/http-post.ts';
import { readEnvironment } from '../environment.ts';
import { machineClock, machineRandomness } from '../machine.ts';
import { createQueueHandler } from '../queue-handler.ts';
import { createCancelSend } from './cancel-send.ts';
import { createCheckContacts } from './check-contacts.ts';
import { createEnqueueSend } from './enqueue-send.ts';
import { manageEnvironment } from './environment.ts';
import { createEraseContact } from './erase-contact.ts';
import { createGetContact } from './get-contact.ts';
import { createGetConversation } from './get-conversation.ts';
import { createGetMessage } from './get-message.ts';
import { createGetSend } from './get-send.ts';
import { createGetStage } from './get-stage.ts';
import { createListUncertain } from './list-uncertain.ts';
import { createManagementHandler } from './management-handler.ts';
import { createRecordConsent } from './record-consent.ts';
import { createGetErasure, createRequestErasure } from './request-erasure.ts';
import { createSettleSend } from './settle-send.ts';

const environment = readEnvironment(manageEnvironment, process.env);

/** An HTTP API answers within 30 seconds, a check of the most contacts included; an erasure's turn leaves room for its last page. */
const CHAT_SERVICE_CALL = {
  connectTimeoutMs: 2_000,
  answerTimeoutMs: 8_000,
  maxAnswerBytes: 1024 * 1024,
  maxConnections: 2,
};
const ERASURE_TURN_MS = 20_000;
const ERASURE_ENOUGH_TIME_MS = 40_000;

const client = new DynamoDBClient({});
const sqs = new SQSClient({});
const log = createPowertoolsLog();
const metrics = createPowertoolsMetrics();
const clock = machineClock;
const randomness = machineRandomness;
const { TABLE_NAME: tableName, RETENTION_DAYS: retentionDays } = environment;
const { CHAT_PLATFORM: chatPlatform, CHAT_CHANNEL_NUMBER: chatChannelNumber, WINDOW_PER: windowPer } = environment;
const naming = { chatPlatform, chatChannelNumber, windowPer };
const desk = createDynamodbConversationDesk(client, tableName);
const sends = createDynamodbSendDesk({
  client,
  tableName,
  retentionDays,
  account: { platform: chatPlatform, channel: chatChannelNumber },
});
const store = createDynamodbErasureStore(client, tableName);
const queue = createSqsSendQueue(sqs, environment.SEND_QUEUE_URL);
const chatService = createHttpChatService({
  baseUrl: environment.CHAT_SERVICE_URL,
  contactCheckPath: environment.CONTACT_CHECK_PATH,
  accessToken: createSecretsManagerAccessToken(new SecretsManagerClient({}), environment.ACCESS_TOKEN_SECRET_ID),
  post: createHttpPost(CHAT_SERVICE_CALL),
});
const contactPorts = { ...naming, desk, clock, windowMarginMs: environment.WINDOW_MARGIN_SECONDS * 1000 };

const manage = createManagementHandler({
  routes: {
    getContact: createGetContact(contactPorts),
    eraseContact: createRequestErasure({
      store,
      queue: createSqsErasureQueue(sqs, environment.ERASURE_QUEUE_URL),
      clock,
      randomness,
      ...naming,
    }),
    getConversation: createGetConversation({ desk, ...naming }),
    getMessage: createGetMessage({ desk }),
    enqueueSend: createEnqueueSend({ sends, queue, clock, ...naming }),
    getSend: createGetSend({ sends, desk }),
    listUncertainSends: createListUncertain({ sends }),
    settleSend: createSettleSend({ sends, queue, clock, randomness, ...naming }),
    cancelSend: createCancelSend({
      cancelScheduledSend: createCancelScheduledSend({
        scheduled: createDynamodbScheduledSendStore({ client, tableName, retentionDays }),
        alarms: createEventbridgeSendAlarmClock({ groupName: environment.SCHEDULE_GROUP_NAME }),
        clock,
        log,
        metrics,
      }),
      sends,
    }),
    optIn: createRecordConsent('opt-in', contactPorts),
    optOut: createRecordConsent('opt-out', contactPorts),
    checkContacts: createCheckContacts({ chatService, desk, clock, ...naming }),
    getErasure: createGetErasure({ store }),
    getStage: createGetStage({
      sends,
      settings: {
        ...naming,
        chatServiceUrl: environment.CHAT_SERVICE_URL,
        windowMarginSeconds: environment.WINDOW_MARGIN_SECONDS,
        retentionDays,
      },
    }),
  },
  log,
  metrics,
});
const erase = createQueueHandler({
  handleMessage: createEraseContact({ store, clock, log, turnMs: ERASURE_TURN_MS }),
  setVisibility: createSetVisibility(sqs, environment.ERASURE_QUEUE_URL),
  enoughTimeMs: ERASURE_ENOUGH_TIME_MS,
  log,
  metrics,
});

/** One function, two ways in: the API's calls, and the erasures that a call would not have the time for. */
export const handler = (event: APIGatewayProxyEventV2 | SQSEvent, context: Context) =>
  'Records' in event ? erase(event, context) : manage(event);
