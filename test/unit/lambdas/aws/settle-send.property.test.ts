import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamodbEventStore } from '../../../../lambdas/aws/dynamodb-event-store.ts';
import { createDynamodbSendStore } from '../../../../lambdas/aws/dynamodb-send-store.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { Conclusion, QueuedSend } from '../../../../lambdas/domain/send-state.ts';
import { createStoreEvent } from '../../../../lambdas/receive/store-event.ts';
import { ACCOUNT, NOW, templateRequest, USER, wireStatus } from '../../../support/builders.ts';
import { type EmulatedTables, type Item, startEmulatedTables } from './emulated-table.ts';

let tables: EmulatedTables;
beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());

const request = templateRequest();
const SEND: QueuedSend = {
  request,
  body: JSON.stringify(request),
  contact: contactRef('chat', USER),
  groupId: USER,
  deduplicationId: request.requestId,
};
const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update' } };
const CLAIM = { claimId: 'claim-1', claimedAt: NOW, leaseUntil: '2026-11-20T12:03:00.000Z', call, why: 'closed' };
const answeredAt = '2026-11-20T12:00:09.000Z';
const ANSWERS: Record<string, Conclusion> = {
  accepted: { state: 'accepted', at: answeredAt, messageId: 'message-out', call, why: 'closed' },
  uncertain: { state: 'uncertain', at: answeredAt, why: 'ECONNRESET' },
};

/** What happens to a claimed send: its call is concluded, or a status of its message comes. */
type Happening = 'answer' | Record<string, unknown>;

const play = async (answer: string, history: readonly Happening[]): Promise<Record<string, Item>> => {
  const tableName = await tables.createTable();
  const options = { client: tables.client, tableName, retentionDays: 400 };
  const sends = createDynamodbSendStore({ ...options, account: ACCOUNT });
  const store = createDynamodbEventStore({ ...options, budgetMs: 10_000 });
  const storeEvent = createStoreEvent({ store, defaultPlatform: 'chat', windowPer: 'user' });
  await sends.claim(SEND, CLAIM, { uncertainToo: false });
  const conclusion = ANSWERS[answer];
  for (const happening of history) {
    if (happening !== 'answer') {
      const post = { rawBody: Buffer.from(JSON.stringify(happening)), receivedAt: NOW };
      expect((await storeEvent(post)).kind).toBe('stored');
    } else if (conclusion) {
      await sends.conclude('request-1', 'claim-1', conclusion);
      const outbound = { id: 'message-out', requestId: 'request-1', contact: SEND.contact, call, claimedAt: NOW };
      if (conclusion.state === 'accepted') await sends.recordOutbound(outbound);
    }
  }
  return tables.items(tableName);
};

const status = (kind: string, second: number) =>
  wireStatus({
    _id_: 'message-out',
    STATUS: kind,
    CREATION_TIME: `2026-11-20T12:00:0${second}.000Z`,
    CLIENT_PAYLOAD: 'request-1',
  });
const WITH_STATUS: readonly Happening[] = ['answer', status('delivered', 2), status('read', 5), status('delivered', 3)];

describe('a send whose statuses carry its reference', () => {
  it.each(['accepted', 'uncertain'])('ends the same in any order of them and its %s answer', async (answer) => {
    const inOrder = await play(answer, WITH_STATUS);
    expect(inOrder).toMatchObject({
      'SEND#request-1 SEND': { state: 'accepted', messageId: 'message-out' },
      'MESSAGE#message-out MESSAGE': { direction: 'outbound', requestId: 'request-1', createdAt: NOW },
    });
    const orders = fc
      .tuple(fc.shuffledSubarray([...WITH_STATUS], { minLength: 4 }), fc.subarray([...WITH_STATUS]))
      .chain(([all, again]) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length }));
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        expect(await play(answer, order)).toEqual(inOrder);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a status with a reference that is none of ours', () => {
  it('makes no send', async () => {
    const items = await play('accepted', [wireStatus({ CLIENT_PAYLOAD: 'somebody-else’s' }), 'answer']);
    expect(Object.keys(items).filter((key) => key.startsWith('SEND#'))).toEqual(['SEND#request-1 SEND']);
    const other = await play('accepted', [wireStatus({ CLIENT_PAYLOAD: 'request-2' }), 'answer']);
    expect(other['SEND#request-2 SEND']).toBeUndefined();
  });

  it('leaves a send alone that was refused', async () => {
    const tableName = await tables.createTable();
    const options = { client: tables.client, tableName, retentionDays: 400 };
    const sends = createDynamodbSendStore({ ...options, account: ACCOUNT });
    await sends.settle(SEND, { state: 'refused', at: NOW, code: 'NO_OPT_IN', why: 'none' });
    const before = await tables.items(tableName);
    const store = createDynamodbEventStore({ ...options, budgetMs: 10_000 });
    const reference = { kind: 'status', id: 'x', status: 'read', literal: 'read', at: NOW, body: '' } as const;
    expect(await store.settleSend({ ...reference, reference: 'request-1' })).toEqual({ kind: 'written' });
    expect(await tables.items(tableName)).toEqual(before);
  });
});
