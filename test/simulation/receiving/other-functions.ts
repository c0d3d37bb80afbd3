import { createDynamodbErasures } from '../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { type ContactRef, contactRef } from '../../../lambdas/domain/contact.ts';
import { ms } from '../../../lambdas/domain/duration.ts';
import { createErasureWorker } from '../../../lambdas/manage/erasures.ts';
import type { Clock } from '../../../lambdas/ports.ts';
import { ACCOUNT, claim, NOW, queuedSend, sendResult, USER } from '../../support/builders.ts';
import { sqsRecord } from '../../support/sqs-record.ts';
import { silentLog, silentMetrics } from '../../support/telemetry.ts';
import { refOf } from '../world/world.ts';

/** Another function that works on the same table, without faults of its own. */
export interface OtherFunction {
  readonly name: string;
  /** Runs before anything else. */
  readonly prepare?: (table: ConversationTable) => Promise<void>;
  /** Each call of the table waits for its turn. */
  readonly run: (table: ConversationTable, clock: Clock) => Promise<void>;
}

/** The function `send` has called the chat service for a message with the id `message-1` and records its answer. */
const recordSendTo = (contact: ContactRef): OtherFunction => ({
  name: 'send',
  async prepare(table) {
    const send = { ...queuedSend(), contact };
    await createDynamodbSends(table).claim(send, claim({ claimedAt: SENT_AT }), {
      resend: false,
    });
  },
  async run(table) {
    const { request, traceparent } = queuedSend();
    const { requestId } = request;
    const { claimId, call } = claim();
    await createDynamodbSends(table).recordResult(requestId, claimId, sendResult('accepted', NOW));
    await createDynamodbMessages(table, { gapClock: undefined }).recordOutbound({
      id: 'message-1',
      requestId,
      contact,
      call,
      claimedAt: SENT_AT,
      attempt: 1,
      traceparent,
    });
  },
});

/** When the send was claimed, before any of its statuses. */
const SENT_AT = '2026-11-20T10:58:00.000Z';

export const recordSend = recordSendTo(refOf(USER));

/** The same, where windows are per business number. */
export const recordSendPerNumber = recordSendTo(contactRef(ACCOUNT.platform, USER, ACCOUNT.channel));

/** An erasure of the contact, requested now. */
export const erase: OtherFunction = {
  name: 'erase',
  async run(table, clock) {
    const pass = createErasureWorker({
      erasures: createDynamodbErasures(table),
      scheduler: { cancel: async () => undefined },
      queuedDeadLetters: { remove: async () => ({ removed: 0, isComplete: true }) },
      clock,
      randomness: { random: () => 0 },
      log: silentLog,
      metrics: silentMetrics,
      passMs: ms(20_000),
    });
    const message = sqsRecord(JSON.stringify({ erasureId: 'erasure-1', requestedAt: NOW, contact: refOf(USER) }));
    while ((await pass(message)).kind !== 'done');
  },
};
