import type { SQSRecord } from 'aws-lambda';
import { createDynamodbConversationDesk } from '../../../../lambdas/aws/dynamodb-conversation-desk.ts';
import { createDynamodbErasureStore } from '../../../../lambdas/aws/dynamodb-erasure-store.ts';
import { createDynamodbEventStore } from '../../../../lambdas/aws/dynamodb-event-store.ts';
import { createDynamodbScheduledSendStore } from '../../../../lambdas/aws/dynamodb-scheduled-send-store.ts';
import { createDynamodbSendDesk } from '../../../../lambdas/aws/dynamodb-send-desk.ts';
import { createDynamodbSendStore } from '../../../../lambdas/aws/dynamodb-send-store.ts';
import { createCancelScheduledSend } from '../../../../lambdas/cancel-scheduled-send.ts';
import type { WindowPer } from '../../../../lambdas/domain/contact.ts';
import type { QueuedErasure } from '../../../../lambdas/domain/erasure.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import type { Answer } from '../../../../lambdas/manage/answer.ts';
import { createCancelSend } from '../../../../lambdas/manage/cancel-send.ts';
import { createCheckContacts } from '../../../../lambdas/manage/check-contacts.ts';
import { createEnqueueSend } from '../../../../lambdas/manage/enqueue-send.ts';
import { createEraseContact } from '../../../../lambdas/manage/erase-contact.ts';
import { createGetContact } from '../../../../lambdas/manage/get-contact.ts';
import { createGetConversation } from '../../../../lambdas/manage/get-conversation.ts';
import { createGetMessage } from '../../../../lambdas/manage/get-message.ts';
import { createGetSend } from '../../../../lambdas/manage/get-send.ts';
import type { ManagementCall } from '../../../../lambdas/manage/input.ts';
import { createListUncertain } from '../../../../lambdas/manage/list-uncertain.ts';
import { createRecordConsent } from '../../../../lambdas/manage/record-consent.ts';
import { createGetErasure, createRequestErasure } from '../../../../lambdas/manage/request-erasure.ts';
import { createSettleSend } from '../../../../lambdas/manage/settle-send.ts';
import { createStoreEvent } from '../../../../lambdas/receive/store-event.ts';
import { NOW } from '../../../support/builders.ts';
import { silentLog, silentMetrics } from '../../../support/silent.ts';
import type { EmulatedTables } from '../aws/emulated-table.ts';

/** The management API's use cases on a table of their own, with queues that a test can look into. */
export const createManagedStage = async (tables: EmulatedTables, given: { readonly windowPer?: WindowPer } = {}) => {
  const tableName = await tables.createTable();
  const account = { platform: 'chat', channel: '+5491100000000' };
  const options = { client: tables.client, tableName, retentionDays: 400, account };
  const naming = {
    chatPlatform: 'chat',
    chatChannelNumber: '+5491100000000',
    windowPer: given.windowPer ?? ('user' as const),
  };
  const time = { now: NOW };
  const clock = { now: () => time.now };
  const queued: { body: string; groupId: string; deduplicationId: string }[] = [];
  const erasures: QueuedErasure[] = [];
  const removedAlarms: string[] = [];
  const ids = { last: 0 };
  const randomness = { newId: () => `id-${++ids.last}`, fraction: () => 0 };
  const checks: { contacts: readonly string[] }[] = [];
  const answers: { check: ChatServiceAnswer } = { check: { kind: 'not-sent', cause: 'nobody told' } };
  const chatService = {
    async checkContacts(_channel: string, contacts: readonly string[]) {
      checks.push({ contacts });
      return answers.check;
    },
  };
  const desk = createDynamodbConversationDesk(tables.client, tableName);
  const scheduled = createDynamodbScheduledSendStore(options);
  const sends = createDynamodbSendDesk(options);
  const store = createDynamodbErasureStore(tables.client, tableName);
  const queue = {
    async put({ body, groupId, deduplicationId }: (typeof queued)[number]) {
      queued.push({ body, groupId, deduplicationId });
    },
  };
  const contactPorts = { ...naming, desk, clock, windowMarginMs: 60_000 };
  const call =
    (handle: (call: ManagementCall) => Promise<Answer>) =>
    (given: { id?: string; query?: Record<string, string>; body?: unknown } = {}) =>
      handle({
        id: given.id ?? '',
        query: given.query ?? {},
        bodyText: typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {}),
        caller: 'test',
      });
  const eraseTurn = createEraseContact({ store, clock, log: silentLog, turnMs: 60_000 });

  return {
    tableName,
    options,
    time,
    queued,
    erasures,
    checks,
    answers,
    store,
    clock,
    storeEvent: createStoreEvent({
      store: createDynamodbEventStore({ ...options, budgetMs: 10_000 }),
      defaultPlatform: 'chat',
      windowPer: naming.windowPer,
    }),
    sendStore: createDynamodbSendStore(options),
    scheduledStore: scheduled,
    removedAlarms,
    items: () => tables.items(tableName),
    getContact: call(createGetContact(contactPorts)),
    getConversation: call(createGetConversation({ desk, ...naming })),
    getMessage: call(createGetMessage({ desk })),
    getSend: call(createGetSend({ sends, desk })),
    enqueueSend: call(createEnqueueSend({ sends, queue, clock, ...naming })),
    cancelSend: call(
      createCancelSend({
        cancelScheduledSend: createCancelScheduledSend({
          scheduled,
          alarms: {
            async set() {},
            async remove(requestId) {
              removedAlarms.push(requestId);
            },
          },
          clock,
          log: silentLog,
          metrics: silentMetrics,
        }),
        sends,
      }),
    ),
    listUncertain: call(createListUncertain({ sends })),
    settleSend: call(createSettleSend({ sends, queue, clock, randomness, ...naming })),
    optIn: call(createRecordConsent('opt-in', contactPorts)),
    optOut: call(createRecordConsent('opt-out', contactPorts)),
    checkContacts: call(createCheckContacts({ chatService, desk, clock, ...naming })),
    requestErasure: call(
      createRequestErasure({
        store,
        queue: {
          async put(erasure) {
            erasures.push(erasure);
          },
        },
        clock,
        randomness,
        ...naming,
      }),
    ),
    getErasure: call(createGetErasure({ store })),
    eraseTurn: (erasure: QueuedErasure) => eraseTurn(queueMessage(erasure)),
  };
};

export type ManagedStage = Awaited<ReturnType<typeof createManagedStage>>;

/** A message of the erasure queue. */
export const queueMessage = (erasure: QueuedErasure): SQSRecord => ({
  messageId: 'message',
  receiptHandle: 'handle',
  body: JSON.stringify(erasure),
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:local:000000000000:erasures',
  awsRegion: 'local',
});
