import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { createDynamodbCircuit } from '../../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbErasures } from '../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbMessages } from '../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../../lambdas/adapters/dynamodb/sends.ts';
import { createDynamodbStops } from '../../../../lambdas/adapters/dynamodb/stops.ts';
import { contactRef, type WindowPer } from '../../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../../lambdas/domain/decision.ts';
import { ms } from '../../../../lambdas/domain/duration.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import type { SendCall } from '../../../../lambdas/domain/send-call.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import type { SendRequest } from '../../../../lambdas/domain/send-request.ts';
import type { FifoMessage } from '../../../../lambdas/ports.ts';
import { createAccountView } from '../../../../lambdas/send/account-view.ts';
import { createCallPace } from '../../../../lambdas/send/bulk/call-pace.ts';
import { createGiveUp } from '../../../../lambdas/send/give-up.ts';
import { createPrepareSend } from '../../../../lambdas/send/prepare-send.ts';
import type { SendContext } from '../../../../lambdas/send/send-context.ts';
import { createSendMessage } from '../../../../lambdas/send/send-message.ts';
import { ACCOUNT, NOW, queuedSend, sendRules, USER } from '../../../support/builders.ts';
import { contactItems, type StoredContact } from '../../../support/contact-items.ts';
import type { EmulatedTables, Item } from '../../../support/emulated-table.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { recordingLog, recordingMetrics } from '../../../support/telemetry.ts';

const answered = (httpStatus: number, body?: unknown, retryAfter?: string): ChatServiceAnswer => ({
  kind: 'answered',
  httpStatus,
  body,
  retryAfter,
});

/** The chat service's answers. */
export const ANSWERS = {
  accepted: answered(200, { id: 'message-out', problems: null }),
  noCredit: answered(403, { error: { code: 101, message: 'Insufficient credit' } }),
  windowClosed: answered(403, { error: { code: 201, message: 'User window is over 24 hours' } }),
  invalidChannel: answered(200, { problems: { code: 304, message: 'Invalid channel' }, result: {} }),
  unauthorized: answered(401),
  badGateway: answered(502),
  blocked: answered(403),
  unavailable: (retryAfter?: string) => answered(503, undefined, retryAfter),
  notSent: { kind: 'not-sent', cause: 'ECONNREFUSED' },
  unknown: { kind: 'unknown', cause: 'ECONNRESET' },
} as const satisfies Record<string, ChatServiceAnswer | ((retryAfter?: string) => ChatServiceAnswer)>;

export const LEASE_MS = 180_000;
export const CALL_TIME_MS = 26_000;
export const INVOCATION_MS = 119_000;
export const PROBE_LEASE_MS = 60_000;
const MAX_CONCURRENT_CALLS = 10;

interface HarnessOptions {
  /** @default a table of its own */
  readonly tableName?: string;
  readonly rules?: Partial<SendRules>;
  readonly windowPer?: WindowPer;
  readonly defaultNotAfter?: string;
  /** The pace of each function. @default none */
  readonly callIntervalMs?: number;
}

/** Any number of running functions `send` with one table, one clock, and a chat service that a test controls. */
export const createSendHarness = async (tables: EmulatedTables, options: HarnessOptions = {}) => {
  const { rules, windowPer = 'user', tableName = await tables.createTable() } = options;
  const table = tables.tableOf(tableName, { client: tables.tableClient });
  const sends = createDynamodbSends(table);
  const contacts = createDynamodbContacts(table, { readsHandovers: rules?.operators !== undefined });
  const messages = createDynamodbMessages(table, { gapClock: undefined });
  const circuits = createDynamodbCircuit(table, ACCOUNT);
  const metrics = recordingMetrics(() => now);
  const sleeps: number[] = [];
  const log = recordingLog();
  let now = NOW;
  let ids = 0;

  const contactDefaults = { chatPlatform: ACCOUNT.platform, chatChannelNumber: ACCOUNT.channel, windowPer };
  const endOfInvocation = () => addMs(now, INVOCATION_MS);

  const harness = {
    table,
    sends,
    contacts,
    messages,
    circuits,
    /** An operator's stops. */
    stops: createDynamodbStops(table, ACCOUNT),
    counted: metrics.counted,
    logged: log.logged,
    /** Every value of a metric, with its time. */
    samples: metrics.samples,
    /** The pauses of the functions, in milliseconds; each advances the clock. */
    sleeps,
    /** What happens during a pause, before the clock advances. */
    duringSleep: async (): Promise<void> => {},
    /** The calls to the sending endpoints, and the business number and the numbers of each contact check. */
    calls: [] as SendCall[],
    /** When each call started. */
    callTimes: [] as string[],
    /** The trace of each call. */
    callTraces: [] as (string | undefined)[],
    checkedChannels: [] as string[],
    checks: [] as (readonly string[])[],
    /** The reasons of the requests put on the dead-letter queue. */
    deadLetters: [] as string[],
    /** The trace of each of them. */
    deadLetterTraces: [] as (string | undefined)[],
    /** When each scheduled request becomes due. */
    schedules: new Map<string, string>(),
    /** Runs after a send was recorded as scheduled, before its schedule is created. */
    beforeSchedule: async () => {},
    isSchedulerUnavailable: false,
    /** The next answers; accepted after that. A function is called at the time of the call. */
    answers: [] as (ChatServiceAnswer | ((call: SendCall) => Promise<ChatServiceAnswer>))[],
    /** The next answers to contact checks; `checkAnswer` after that. */
    checkAnswers: [] as ChatServiceAnswer[],
    checkAnswer: answered(200, { problems: null, result: {} }) as ChatServiceAnswer,
    /** What happens while a contact check waits for its answer. */
    duringCheck: async (): Promise<void> => {},

    now: () => now,
    setNow(instant: string) {
      now = instant;
    },
    advance(seconds: number) {
      now = addMs(now, seconds * 1000);
    },

    /**
     * Starts a function: what it remembers between two messages is its own.
     *
     * @param accountView what it shares with the handler of the other queue. @default nothing
     */
    startFunction(accountView = createAccountView()) {
      const shared = {
        sends,
        messages,
        deadLetters: {
          async put({ traceparent }: FifoMessage, reason: string) {
            harness.deadLetters.push(reason);
            harness.deadLetterTraces.push(traceparent);
          },
        },
        clock: { now: () => now },
        sleep: async (ms: number) => {
          sleeps.push(ms);
          await harness.duringSleep();
          now = addMs(now, ms);
        },
        log,
        metrics,
      };
      const { callIntervalMs: intervalMs } = options;
      const pace =
        intervalMs === undefined
          ? undefined
          : createCallPace({ ...shared, intervalMs: ms(intervalMs), maxConcurrentCalls: MAX_CONCURRENT_CALLS });
      const context: SendContext = {
        ...shared,
        contacts,
        circuits,
        account: ACCOUNT,
        accountView,
        chatService: {
          async send(call, { traceparent } = {}) {
            harness.calls.push(call);
            harness.callTimes.push(now);
            harness.callTraces.push(traceparent);
            const answer = harness.answers.shift() ?? ANSWERS.accepted;
            return typeof answer === 'function' ? answer(call) : answer;
          },
          async checkContacts(channel, numbers) {
            harness.checkedChannels.push(channel);
            harness.checks.push(numbers);
            await harness.duringCheck();
            return harness.checkAnswers.shift() ?? harness.checkAnswer;
          },
        },
        scheduler: {
          async schedule({ requestId, at }) {
            if (harness.isSchedulerUnavailable) throw new Error('The scheduler is unavailable.');
            await harness.beforeSchedule();
            harness.schedules.set(requestId, at);
          },
          async cancel(requestId) {
            if (harness.isSchedulerUnavailable) throw new Error('The scheduler is unavailable.');
            harness.schedules.delete(requestId);
          },
        },
        randomness: { newId: () => `id-${++ids}`, random: () => 0 },
        rules: sendRules(rules),
        contactDefaults,
        defaultNotAfter: options.defaultNotAfter,
        leaseMs: ms(LEASE_MS),
        probeLeaseMs: ms(PROBE_LEASE_MS),
        callTimeMs: ms(CALL_TIME_MS),
        maxConcurrentCalls: MAX_CONCURRENT_CALLS,
        pace,
      };
      const sendMessage = createSendMessage(context);
      const prepareSend = createPrepareSend(context, sendMessage);
      const giveUp = createGiveUp(context);
      return {
        /** Sends a request that is due. */
        send: (request: SendRequest) => sendMessage({ ...queuedSend(request), endBy: endOfInvocation() }),
        sendMessage,
        startInvocation: () => pace?.startInvocation(),
        /** Receives a message of the send queue. */
        receive: (body: string, attributes: Partial<SQSRecord['attributes']> = {}, messageAttributes = {}) =>
          prepareSend(sqsRecord(body, { MessageGroupId: USER, ...attributes }, messageAttributes), endOfInvocation()),
        /** Decides what to do with a message that could not be processed. */
        giveUp: (body: string, error: unknown, attributes: Partial<SQSRecord['attributes']> = {}) =>
          giveUp(sqsRecord(body, { MessageGroupId: USER, ...attributes }), error),
      };
    },

    /** Opens a contact's window, as a message does that was written an hour before {@link NOW}. */
    async openWindow(address: string, changes: StoredContact = {}) {
      const lastInboundAt = '2026-11-20T11:00:00.000Z';
      await harness.putContact(address, { lastInboundAt, address: address.replace('+', ''), ...changes });
    },
    async optIn(address: string) {
      await harness.putContact(address, { optInAt: '2026-01-01T00:00:00.000Z' });
    },
    /** Erases a send of {@link USER}. */
    async erase(id: string) {
      const contact = contactRef(ACCOUNT.platform, USER);
      await createDynamodbErasures(table).erase(contact, { kind: 'send', id }, now);
    },
    async putContact(address: string, stored: StoredContact) {
      for (const item of contactItems(contactRef(ACCOUNT.platform, address), stored)) {
        await tables.client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
      }
    },

    items: (): Promise<Record<string, Item>> => tables.items(tableName),
    item: async (key: string): Promise<Item | undefined> => (await harness.items())[key],
    sendItem: (requestId = 'request-1') => harness.item(`SEND#${requestId} SEND`),
    accountItem: () => harness.item(`ACCOUNT#${ACCOUNT.platform}#${ACCOUNT.channel} ACCOUNT`),
  };
  return harness;
};

export type SendHarness = Awaited<ReturnType<typeof createSendHarness>>;
export type RunningSend = ReturnType<SendHarness['startFunction']>;
