import { setTimeout as pause } from 'node:timers/promises';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { createDynamodbAccountStore } from '../../../../lambdas/aws/dynamodb-account-store.ts';
import { createDynamodbSendStore } from '../../../../lambdas/aws/dynamodb-send-store.ts';
import { contactItem } from '../../../../lambdas/aws/table-keys.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { SendCall, SendRules } from '../../../../lambdas/domain/send-decision.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import type { SendRequest } from '../../../../lambdas/domain/send-request.ts';
import type { QueuedSend } from '../../../../lambdas/domain/send-state.ts';
import { createSendMessage } from '../../../../lambdas/send/send-message.ts';
import { ACCOUNT, NOW, sendRules } from '../../../support/builders.ts';
import { countingMetrics, silentLog } from '../../../support/silent.ts';
import type { EmulatedTables, Item } from '../aws/emulated-table.ts';

export const ACCEPTED: ChatServiceAnswer = { kind: 'answered', httpStatus: 200, body: { id: 'message-out' } };
export const NO_CREDIT: ChatServiceAnswer = {
  kind: 'answered',
  httpStatus: 403,
  body: { error: { code: 101, message: 'Insufficient credit' } },
};
export const UNAUTHORIZED: ChatServiceAnswer = { kind: 'answered', httpStatus: 401, body: undefined };
export const UNAVAILABLE: ChatServiceAnswer = { kind: 'answered', httpStatus: 503, body: undefined };

/** Several running functions at one table, on one clock, with a chat service that answers as it is told. */
export const createSendHarness = async (tables: EmulatedTables, changes: Partial<SendRules> = {}) => {
  const tableName = await tables.createTable();
  const options = { client: tables.client, tableName, retentionDays: 400, account: ACCOUNT };
  const store = createDynamodbSendStore(options);
  const calls: SendCall[] = [];
  const checks: (readonly string[])[] = [];
  const metrics = countingMetrics();
  const deadLetters: string[] = [];
  let nowMs = Date.parse(NOW);
  let ids = 0;
  const harness = {
    store,
    calls,
    checks,
    deadLetters,
    counted: metrics.counted,
    /** What the next calls are answered with; {@link ACCEPTED} after that. A function is asked at the time of the call. */
    answers: [] as (ChatServiceAnswer | ((call: SendCall) => Promise<ChatServiceAnswer>))[],
    checkAnswer: { kind: 'answered', httpStatus: 200, body: { problems: null, result: {} } } as ChatServiceAnswer,
    checkTakesMs: 0,
    now: () => new Date(nowMs).toISOString(),
    advance(seconds: number) {
      nowMs += seconds * 1000;
    },
    /** A running function: what it remembers between two messages is its own. */
    newFunction: () =>
      createSendMessage({
        store,
        accounts: createDynamodbAccountStore(options),
        chatService: {
          async send(call) {
            calls.push(call);
            const answer = harness.answers.shift() ?? ACCEPTED;
            return typeof answer === 'function' ? answer(call) : answer;
          },
          async checkContacts(_channel, contacts) {
            checks.push(contacts);
            if (harness.checkTakesMs > 0) await pause(harness.checkTakesMs);
            return harness.checkAnswer;
          },
        },
        deadLetters: {
          async put(_message, reason) {
            deadLetters.push(reason);
          },
        },
        clock: { now: () => harness.now() },
        randomness: { newId: () => `id-${++ids}`, fraction: () => 0 },
        log: silentLog,
        metrics,
        rules: sendRules(changes),
        leaseMs: 180_000,
        probeLeaseMs: 60_000,
      }),
    async optIn(address: string, changes: Record<string, unknown> = {}) {
      const item = { ...contactItem(contactRef('chat', address)), optInAt: '2026-01-01T00:00:00.000Z', ...changes };
      await tables.client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
    },
    items: (): Promise<Record<string, Item>> => tables.items(tableName),
    async sendItem(requestId: string): Promise<Item | undefined> {
      return (await harness.items())[`SEND#${requestId} SEND`];
    },
    async account(): Promise<Item | undefined> {
      return (await harness.items())['ACCOUNT#chat#+5491100000000 ACCOUNT'];
    },
  };
  return harness;
};

export type SendHarness = Awaited<ReturnType<typeof createSendHarness>>;

/** The request as the queue brings it. */
export const queued = (request: SendRequest): QueuedSend => ({
  request,
  body: JSON.stringify(request),
  contact: contactRef('chat', request.platformContactId),
  groupId: request.platformContactId,
  deduplicationId: request.requestId,
});
