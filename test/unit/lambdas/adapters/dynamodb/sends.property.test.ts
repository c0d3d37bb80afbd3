import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { QueuedSend, SendResult } from '../../../../../lambdas/domain/send.ts';
import { NOW, TRACEPARENT, templateRequest, USER, wireStatus } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import type { Item } from '../../../../support/emulated-table.ts';
import { repositoriesOf } from './repositories.ts';

const tables = contractTables();

const request = templateRequest();
const SEND: QueuedSend = {
  request,
  body: JSON.stringify(request),
  contact: contactRef('chat', USER),
  groupId: USER,
  deduplicationId: request.requestId,
  traceparent: TRACEPARENT,
  endBy: '2026-11-20T12:02:00.000Z',
};
const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update' } };
const CLAIM = { claimId: 'claim-1', claimedAt: NOW, leaseUntil: '2026-11-20T12:03:00.000Z', call, decision: 'closed' };
const answeredAt = '2026-11-20T12:00:09.000Z';
const RESULTS: Record<string, SendResult> = {
  accepted: { state: 'accepted', at: answeredAt, messageId: 'message-out', outcome: 'answered' },
  'accepted without an id': { state: 'accepted', at: answeredAt, outcome: 'answered' },
  uncertain: { state: 'uncertain', at: answeredAt, outcome: 'ECONNRESET', isAnswered: false },
  'answered, but uncertain': { state: 'uncertain', at: answeredAt, outcome: 'HTTP 200', isAnswered: true },
};

/** What happens to a claimed send: the result of its call is recorded, or a status of its message arrives. */
type Step = 'answer' | Record<string, unknown>;

const play = async (answer: string, history: readonly Step[]): Promise<Record<string, Item>> => {
  const tableName = await tables.createTable();
  const { messages, sends, storeEvent } = repositoriesOf(tables.tableOf(tableName));
  await sends.claim(SEND, CLAIM, { resend: false });
  const result = RESULTS[answer];
  for (const step of history) {
    if (step !== 'answer') {
      const delivered = { rawBody: Buffer.from(JSON.stringify(step)), receivedAt: NOW };
      expect((await storeEvent(delivered)).kind).toBe('stored');
    } else if (result) {
      await sends.recordResult('request-1', 'claim-1', result);
      const outbound = {
        id: 'message-out',
        requestId: 'request-1',
        contact: SEND.contact,
        call,
        claimedAt: NOW,
        attempt: 1,
        traceparent: TRACEPARENT,
      };
      if (result.state === 'accepted' && result.messageId !== undefined) await messages.recordOutbound(outbound);
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
const WITH_STATUS: readonly Step[] = ['answer', status('delivered', 2), status('read', 5), status('delivered', 3)];

describe('a send whose statuses carry its request id', () => {
  it.each(Object.keys(RESULTS))('ends the same in any order of them and its %s answer', async (answer) => {
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
      { numRuns: 30 },
    );
  });
});

describe('a status with another request id', () => {
  it('creates no send', async () => {
    const items = await play('accepted', [wireStatus({ CLIENT_PAYLOAD: "somebody-else's" }), 'answer']);
    expect(Object.keys(items).filter((key) => key.startsWith('SEND#'))).toEqual(['SEND#request-1 SEND']);
    const other = await play('accepted', [wireStatus({ CLIENT_PAYLOAD: 'request-2' }), 'answer']);
    expect(other['SEND#request-2 SEND']).toBeUndefined();
  });

  it('leaves a refused send unchanged', async () => {
    const tableName = await tables.createTable();
    const { sends } = repositoriesOf(tables.tableOf(tableName));
    await sends.recordWithoutCall(SEND, { state: 'refused', at: NOW, code: 'NO_OPT_IN', decision: 'none' });
    const before = await tables.items(tableName);
    expect(await sends.confirm('request-1', { messageId: 'x', at: NOW })).toBeUndefined();
    expect(await tables.items(tableName)).toEqual(before);
  });
});
