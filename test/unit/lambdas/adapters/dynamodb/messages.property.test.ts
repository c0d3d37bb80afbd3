import { setImmediate as nextTick } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import * as z from '../../../../../lambdas/domain/schema.ts';
import type { AddressedSend, Claim, SendResult } from '../../../../../lambdas/domain/send.ts';
import type { VerifiedRequest } from '../../../../../lambdas/domain/webhook-request.ts';
import { recordSentMessage } from '../../../../../lambdas/runtime/record-sent-message.ts';
import { contactName } from '../../../../../lambdas/table/keys.ts';
import { NOW, TRACEPARENT, templateRequest, USER, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import type { Item } from '../../../../support/emulated-table.ts';
import { type Repositories, repositoriesOf } from './repositories.ts';

const tables = contractTables();

const request = templateRequest();
const SEND: AddressedSend = {
  request,
  body: JSON.stringify(request),
  contact: contactRef('chat', USER),
  groupId: USER,
  deduplicationId: request.requestId,
  traceparent: TRACEPARENT,
  endBy: '2026-11-20T12:02:00.000Z',
};
const CLAIM: Claim = {
  claimId: 'claim-1',
  claimedAt: '2026-11-20T09:00:00.000Z',
  leaseUntil: '2026-11-20T09:03:00.000Z',
  call: { endpoint: 'intent/v2', body: { ruleNameOrId: 'parcel_update' } },
  decision: 'closed',
};
const OUTBOUND = {
  id: 'message-out',
  requestId: request.requestId,
  contact: SEND.contact,
  call: CLAIM.call,
  claimedAt: CLAIM.claimedAt,
  attempt: 1,
  traceparent: TRACEPARENT,
};
const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
const ANSWER = { at: at(0), outcome: 'answered' };
const RESULTS: Record<string, SendResult> = {
  accepted: { state: 'accepted', messageId: 'message-out', ...ANSWER },
  uncertain: { state: 'uncertain', isAnswered: false, ...ANSWER },
  answered: { state: 'uncertain', isAnswered: true, ...ANSWER },
  unnamed: { state: 'accepted', ...ANSWER },
};

/**
 * A step of a history: an event arrives, or the send's call is answered, whose message is recorded in the conversation.
 */
type Step = Record<string, unknown> | 'accepted' | 'unnamed' | 'uncertain' | 'answered';

const createClaimedSend = async (): Promise<string> => {
  const tableName = await tables.createTable();
  await repositoriesOf(tables.tableOf(tableName)).sends.claim(SEND, CLAIM, { resend: false });
  return tableName;
};

/** @param lateDays when the event arrives, which must leave no trace in the table */
const take = async ({ messages, sends, storeEvent }: Repositories, step: Step, lateDays: number): Promise<void> => {
  if (typeof step !== 'string') {
    const delivered: VerifiedRequest = {
      rawBody: Buffer.from(JSON.stringify(step)),
      ...('message' in step && { envelope: 'pubsub' }),
      receivedAt: addMs(NOW, lateDays * DAY_MS),
    };
    expect(await storeEvent(delivered)).toMatchObject({ kind: 'stored' });
    return;
  }
  const result = RESULTS[step];
  if (result !== undefined) await sends.recordResult(request.requestId, CLAIM.claimId, result);
  if (step === 'accepted') await recordSentMessage({ messages, sends }, OUTBOUND);
};

/** Plays a history, step by step, against a new table that has one claimed send. Returns the items at the end. */
const play = async (history: readonly Step[]): Promise<Record<string, Item>> => {
  const tableName = await createClaimedSend();
  const repositories = repositoriesOf(tables.tableOf(tableName));
  let lateDays = history.length;
  for (const step of history) {
    lateDays = (lateDays + 1) % 7;
    await take(repositories, step, lateDays);
  }
  return withoutOrphanExpiry(await tables.items(tableName));
};

/** Takes all steps at once. The scheduler decides whose next call the table processes, one at a time. */
const playConcurrently = async (steps: readonly Step[], scheduler: fc.Scheduler): Promise<Record<string, Item>> => {
  const tableName = await createClaimedSend();
  const table = tables.tableOf(tableName);
  let inFlight: Promise<unknown> = Promise.resolve();
  const atItsTurn =
    <Parameters extends readonly unknown[], Answer>(call: (...parameters: Parameters) => Promise<Answer>) =>
    async (...parameters: Parameters): Promise<Answer> => {
      await scheduler.schedule(Promise.resolve());
      const answer = call(...parameters);
      inFlight = answer.catch(() => undefined);
      return answer;
    };
  const repositories = repositoriesOf({
    ...table,
    get: atItsTurn(table.get),
    getAll: atItsTurn(table.getAll),
    update: atItsTurn(table.update),
    delete: atItsTurn(table.delete),
    query: atItsTurn(table.query),
  });
  const taken = Promise.all(steps.map((step) => take(repositories, step, 0)));
  await scheduler.waitFor(taken, async (release) => {
    await release();
    await nextTick();
    await inFlight;
  });
  return withoutOrphanExpiry(await tables.items(tableName));
};

/** An item that holds only statuses takes its expiry from whichever came first; a message replaces it. */
const withoutOrphanExpiry = (items: Record<string, Item>): Record<string, Item> => {
  for (const item of Object.values(items)) {
    if (item.createdAt === undefined) delete item.expiresAt;
  }
  return items;
};

/** An event in a Pub/Sub envelope, whose publish time is used when the event has no time. */
const wrapped = (event: Record<string, unknown>, publishTime: string) => ({
  message: { data: Buffer.from(JSON.stringify(event)).toString('base64'), messageId: publishTime, publishTime },
});

const wireNames = z.object({ FROM: z.string(), TO: z.optional(z.string()), CUSTOMER_ID: z.string() });

const DAY_MS = 24 * 60 * 60 * 1000;
const time = fc.integer({ min: 0, max: 1 }).map(at);
/** Later than any creation and earlier than any delivery, so that it does not matter when a version arrives. */
const modification = fc.integer({ min: 2, max: 3 }).map(at);
const inboundId = fc.constantFrom('message-in', 'message-2');
const anyId = fc.constantFrom('message-in', 'message-out', 'message-echoed');
const message = fc
  .record({
    _id_: inboundId,
    CREATION_TIME: time,
    MESSAGE: fc.constantFrom('one', 'two', undefined),
    FROM_NAME: fc.constantFrom('Ana', undefined),
    LAST_MODIFICATION: modification,
  })
  .map(wireMessage);
const wrappedMessage = fc
  .tuple(message, fc.integer({ min: 4, max: 5 }).map(at))
  .map(([event, publishTime]) => wrapped({ ...event, CREATION_TIME: undefined }, publishTime));
const echo = fc
  .record({
    _id_: anyId,
    CREATION_TIME: time,
    MESSAGE: fc.constantFrom('one', 'two'),
    TO: fc.constantFrom(USER, '+5491155550001', undefined),
    LAST_MODIFICATION: modification,
  })
  .map((changes) => wireMessage({ ...changes, FROM: 'me' }));
const status = fc
  .record({
    _id_: anyId,
    CREATION_TIME: time,
    STATUS: fc.constantFrom('delivered', 'READ', 'failed', 'played'),
    MESSAGE: fc.constantFrom('beside', undefined),
  })
  .map(wireStatus);
const confirmation = fc
  .record({ CREATION_TIME: time, STATUS: fc.constantFrom('delivered', 'read') })
  .map((changes) => wireStatus({ ...changes, _id_: 'message-out', CLIENT_PAYLOAD: request.requestId }));

/** Histories with one possible answer to the call: a call has one, however often it is recorded. */
const histories = fc.constantFrom<Step>('accepted', 'unnamed', 'uncertain', 'answered').chain((answer) => {
  const step = fc.oneof(message, wrappedMessage, echo, echo, status, confirmation, fc.constant(answer));
  return fc.array<Step>(step, { minLength: 1, maxLength: 8 });
});

const withOtherOrder = histories.chain((history) =>
  fc.tuple(
    fc.constant(history),
    fc
      .tuple(fc.shuffledSubarray(history, { minLength: history.length }), fc.subarray(history))
      .chain(([all, again]) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
  ),
);

describe('a history of messages, echoes, statuses, confirmations, and answers', () => {
  it('leaves the same table in any order, with any repetition, however late', async () => {
    await fc.assert(
      fc.asyncProperty(withOtherOrder, async ([history, otherOrder]) => {
        expect(await play(otherOrder)).toEqual(await play(history));
      }),
      { numRuns: 50 },
    );
  }, 120_000);

  it('leaves the same table when all arrive at once, however their writes interleave', async () => {
    await fc.assert(
      fc.asyncProperty(withOtherOrder, fc.scheduler(), async ([history, repeated], scheduler) => {
        expect(await playConcurrently(repeated, scheduler)).toEqual(await play(history));
      }),
      { numRuns: 30 },
    );
  }, 120_000);

  it('leaves every message and every echo with the contact, or else the customer, that its own event names', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        for (const { body, contact, sk } of Object.values(await play(history))) {
          if (typeof body !== 'string' || sk === 'SEND') continue;
          const { FROM, TO, CUSTOMER_ID } = z.parse(wireNames, JSON.parse(body));
          const address = FROM === 'me' ? TO : FROM;
          const customer = `CUSTOMER#chat#${CUSTOMER_ID}`;
          expect(contact).toBe(address === undefined ? customer : contactName(contactRef('chat', address)));
        }
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
