import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { type AddressedSend, acceptedCall, type Claim, type SendResult } from '../../../../../lambdas/domain/send.ts';
import { SEND_STATES } from '../../../../../lambdas/domain/send-transitions.ts';
import { startTrace } from '../../../../../lambdas/domain/trace-context.ts';
import { broadcastShard, stateShard } from '../../../../../lambdas/table/indexes.ts';
import { NOW, sendRequest, sendResult, TRACEPARENT, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { type Repositories, repositoriesOf } from './repositories.ts';

const tables = contractTables();
let tableName: string;
let repositories: Repositories;
let sends: Repositories['sends'];

beforeEach(async () => {
  tableName = await tables.createTable();
  repositories = repositoriesOf(tables.tableOf(tableName));
  ({ sends } = repositories);
});

const LATER = '2026-11-20T12:00:09.000Z';
const contact = contactRef('chat', USER);
const call = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
const SEND: AddressedSend = {
  request: sendRequest(),
  body: JSON.stringify(sendRequest()),
  contact,
  groupId: USER,
  deduplicationId: 'request-1',
  traceparent: TRACEPARENT,
  endBy: '2026-11-20T12:02:00.000Z',
};
const claimOf = (claimId: string): Claim => ({
  claimId,
  claimedAt: NOW,
  leaseUntil: '2026-11-20T12:03:00.000Z',
  call,
  decision: 'The window is open.',
});
const ACCEPTED: SendResult = { state: 'accepted', at: LATER, outcome: 'accepted', messageId: 'message-1' };
const UNCERTAIN: SendResult = { state: 'uncertain', at: LATER, outcome: 'ECONNRESET', isAnswered: false };

const claim = (claimId: string, resend = false) => sends.claim(SEND, claimOf(claimId), { resend });
const item = async () => (await tables.items(tableName))['SEND#request-1 SEND'];
const daysAfter = (instant: string, days: number) => Date.parse(instant) / 1000 + days * 24 * 60 * 60;

describe('a send in the table', () => {
  it('keeps the request, its contact, and its time, whichever write comes first', async () => {
    const request = {
      pk: 'SEND#request-1',
      sk: 'SEND',
      body: SEND.body,
      contact: 'CONTACT#chat#*#541155550000',
      contactSort: `SEND#${NOW}`,
      createdAt: NOW,
      traceparent: TRACEPARENT,
    };
    await sends.register(SEND, NOW);
    expect(await item()).toEqual({
      ...request,
      state: 'queued',
      broadcastState: `queued##${NOW}`,
      queuedAt: NOW,
      expiresAt: daysAfter(NOW, 400),
    });

    const sendAt = '2027-11-20T12:00:00.000Z';
    expect(await sends.schedule(SEND, { at: LATER, sendAt })).toEqual({ kind: 'applied' });
    expect(await item()).toEqual({
      ...request,
      state: 'scheduled',
      stateShard: stateShard('scheduled', 'request-1'),
      stateAt: sendAt,
      broadcastState: `scheduled##${sendAt}`,
      queuedAt: NOW,
      scheduledAt: LATER,
      sendAt,
      // It must outlive the day on which the request is sent.
      expiresAt: daysAfter(sendAt, 400),
    });
  });

  it("keeps the first writer's trace, which a claim returns, and is the same request in another trace", async () => {
    const inOther = { ...SEND, traceparent: startTrace('send', 'another') };
    await sends.register(SEND, NOW);
    expect(await sends.register(inOther, LATER)).toMatchObject({ kind: 'conflict', send: { body: SEND.body } });
    const claimed = await sends.claim(inOther, claimOf('claim-1'), { resend: false });
    expect(claimed).toMatchObject({ kind: 'claimed', traceparent: TRACEPARENT });
    expect(await item()).toMatchObject({ traceparent: TRACEPARENT });
  });

  it('keeps the broadcast of its request, whichever write comes first', async () => {
    const request = sendRequest({ broadcastId: 'broadcast-1' });
    const queued = { ...SEND, request, body: JSON.stringify(request) };
    await sends.claim(queued, claimOf('claim-1'), { resend: false });
    await sends.recordResult('request-1', 'claim-1', ACCEPTED);
    expect(await sends.read('request-1')).toMatchObject({ state: 'accepted', broadcastId: 'broadcast-1' });
    expect(await item()).toMatchObject({ broadcastShard: broadcastShard('broadcast-1', 'request-1') });
  });

  it('can be read with its id, and is undefined when it does not exist', async () => {
    expect(await sends.read('request-1')).toBeUndefined();
    await sends.register(SEND, NOW);
    expect(await sends.read('request-1')).toMatchObject({ requestId: 'request-1', state: 'queued', attempts: 0 });
  });
});

describe('claiming a send', () => {
  it('succeeds again with the same claim, as when the SDK retries a write, and counts it once', async () => {
    await claim('claim-1');
    expect(await claim('claim-1')).toEqual({
      kind: 'claimed',
      attempt: 1,
      unknownOutcomes: 0,
      traceparent: TRACEPARENT,
    });
    expect(await claim('claim-2')).toMatchObject({ kind: 'conflict', send: { claimId: 'claim-1', attempts: 1 } });
  });
});

describe('a write that takes effect late', () => {
  const recorded = (state: 'waiting' | 'expired', at: string) =>
    sends.recordWithoutCall(SEND, { state, at, decision: 'Because.' });

  it('does not claim again what it claimed before', async () => {
    await claim('claim-1');
    await sends.recordResult('request-1', 'claim-1', sendResult('waiting', LATER));
    expect(await claim('claim-1')).toMatchObject({ kind: 'conflict', send: { state: 'waiting', attempts: 1 } });
    expect(await claim('claim-2')).toMatchObject({ kind: 'claimed', attempt: 2 });
  });

  it('keeps a refusal for failed processing that is later, but not one with the same time', async () => {
    const refusal = { state: 'refused', at: LATER, code: 'PROCESSING_FAILED', decision: 'It failed.' } as const;
    await sends.recordWithoutCall(SEND, refusal);
    expect(await recorded('expired', NOW)).toMatchObject({ kind: 'conflict', send: { state: 'refused' } });
    expect(await recorded('expired', LATER)).toEqual({ kind: 'applied' });
  });

  it('keeps an earlier failure of the message, or one with the same time that sorts before it', async () => {
    const failed = async (at: string, failure: string) =>
      (await sends.fail('request-1', { messageId: 'message-1', at, failure })).kind;
    await claim('claim-1');
    await sends.recordResult('request-1', 'claim-1', ACCEPTED);
    expect(await failed(LATER, 'a ')).toBe('applied');
    expect(await failed(NOW, 'c ')).toBe('applied');
    expect(await failed(NOW, 'b ')).toBe('applied');
    for (const late of [failed(NOW, 'c '), failed(LATER, 'a ')]) expect(await late).toBe('conflict');
    expect(await item()).toMatchObject({ state: 'failed', failedAt: NOW, failure: 'b ' });
  });

  it('does not change a request that is registered with the same ID', async () => {
    await sends.register(SEND, NOW);
    const other = { ...SEND, body: 'another body' };
    const before = await item();
    expect(await sends.schedule(other, { at: LATER, sendAt: LATER })).toMatchObject({ kind: 'conflict' });
    expect(await sends.claim(other, claimOf('claim-1'), { resend: true })).toMatchObject({ kind: 'conflict' });
    expect(await item()).toEqual(before);
  });
});

describe('recording the result of a call', () => {
  it('replaces unknown outcomes and confirmations by an acceptance, and removes what they left', async () => {
    await claim('claim-1');
    await sends.recordResult('request-1', 'claim-1', UNCERTAIN);
    await sends.confirm('request-1', { messageId: 'message-1', at: NOW });
    await sends.recordResult('request-1', 'claim-1', ACCEPTED);

    const stored = await item();
    expect(stored).toMatchObject({ state: 'accepted', acceptedAt: LATER, messageId: 'message-1' });
    for (const name of ['uncertainAt', 'confirmedBy', 'leaseUntil', 'stateShard', 'stateAt']) {
      expect(stored).not.toHaveProperty(name);
    }
  });

  it('replaces the failure of an earlier message with an acceptance, and removes its details', async () => {
    await claim('claim-1');
    await sends.confirm('request-1', { messageId: 'message-0', at: NOW });
    await sends.fail('request-1', { messageId: 'message-0', at: NOW, failure: '131026 ' });
    await sends.recordResult('request-1', 'claim-1', ACCEPTED);

    const stored = await item();
    expect(stored).toMatchObject({ state: 'accepted', acceptedAt: LATER, messageId: 'message-1' });
    for (const name of ['failedAt', 'failure', 'code', 'confirmedBy']) expect(stored).not.toHaveProperty(name);
  });

  it('reports a conflict with the confirmed send when the outcome is unknown', async () => {
    await claim('claim-1');
    await sends.confirm('request-1', { messageId: 'message-1', at: NOW });
    expect(await sends.recordResult('request-1', 'claim-1', UNCERTAIN)).toMatchObject({
      kind: 'conflict',
      send: { state: 'accepted', confirmedBy: 'status' },
    });
  });

  it.each(['accepted', 'rejected', 'refused', 'expired', 'waiting', 'uncertain'] as const)(
    'applies again for the same claim, as when the SDK retries a write, but for no other: %s',
    async (state) => {
      const result = sendResult(state, LATER);
      await claim('claim-1');
      expect(await sends.recordResult('request-1', 'claim-2', result)).toMatchObject({ kind: 'conflict' });
      expect(await sends.recordResult('request-1', 'claim-1', result)).toEqual({ kind: 'applied' });
      const recorded = await item();
      expect(await sends.recordResult('request-1', 'claim-1', result)).toEqual({ kind: 'applied' });
      expect(await sends.recordResult('request-1', 'claim-2', result)).toMatchObject({ kind: 'conflict' });
      expect(await item()).toEqual(recorded);
    },
  );

  it('applies again when the message that it names has failed since', async () => {
    await claim('claim-1');
    await sends.recordResult('request-1', 'claim-1', ACCEPTED);
    await sends.fail('request-1', { messageId: 'message-1', at: LATER, failure: '131026 ' });
    const failed = await item();
    expect(await sends.recordResult('request-1', 'claim-1', ACCEPTED)).toEqual({ kind: 'applied' });
    expect(await sends.recordResult('request-1', 'claim-2', ACCEPTED)).toMatchObject({ kind: 'conflict' });
    expect(await item()).toEqual(failed);
  });
});

describe('replacing the call of a claim', () => {
  const template = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'hello' } };
  const replace = (claimId: string) =>
    sends.replaceCall('request-1', claimId, { call: template, decision: 'Error 201.' });

  it('keeps the claim, its lease, and its attempts', async () => {
    await claim('claim-1');
    const before = await item();
    expect(await replace('claim-1')).toEqual({ kind: 'applied' });
    expect(await replace('claim-1')).toEqual({ kind: 'applied' });
    expect(await item()).toEqual({ ...before, call: template, decision: 'Error 201.' });
  });
});

describe('recording that processing failed', () => {
  it.each(SEND_STATES)('changes nothing else of a send that is %s, and keeps the first time', async (state) => {
    await putSendInState(sends, state);
    const before = await item();
    expect(await sends.recordFailure({ requestId: 'request-1' }, LATER)).toBe(LATER);
    const muchLater = addMs(LATER, 59 * 60_000);
    expect(await sends.recordFailure({ requestId: 'request-1' }, muchLater)).toBe(LATER);
    expect(await item()).toEqual({ ...before, failingSince: LATER, lastFailedAt: muchLater });
  });

  it('starts again after more than an hour without a failure', async () => {
    await putSendInState(sends, 'scheduled');
    await sends.recordFailure({ requestId: 'request-1' }, LATER);
    const muchLater = addMs(LATER, 61 * 60_000);
    expect(await sends.recordFailure({ requestId: 'request-1' }, muchLater)).toBe(muchLater);
    expect(await item()).toMatchObject({ failingSince: muchLater, lastFailedAt: muchLater });
  });

  it('for an unknown request creates no send, only an item that expires', async () => {
    await sends.recordFailure({ requestId: 'request-1' }, LATER);
    expect(await item()).toEqual({
      pk: 'SEND#request-1',
      sk: 'SEND',
      failingSince: LATER,
      lastFailedAt: LATER,
      expiresAt: daysAfter(LATER, 400),
    });
    expect(await sends.read('request-1')).toBeUndefined();
    expect(await sends.confirm('request-1', { messageId: 'message-1', at: LATER })).toBeUndefined();
    expect(await sends.cancel('request-1', LATER)).toEqual({ kind: 'missing' });
    expect(await sends.recordResult('request-1', 'claim-1', ACCEPTED)).toEqual({ kind: 'missing' });
    expect(await claim('claim-1')).toEqual({
      kind: 'claimed',
      attempt: 1,
      unknownOutcomes: 0,
      traceparent: TRACEPARENT,
    });
    expect(await item()).not.toHaveProperty('failingSince');
  });

  it('ends with the next wait, even for the same reason, so that failures far apart do not add up', async () => {
    const wait = (at: string) =>
      sends.recordWithoutCall(SEND, { state: 'waiting', at, decision: 'The circuit breaker is open.' });
    expect(await wait(NOW)).toEqual({ kind: 'applied' });
    expect(await wait(NOW)).toMatchObject({ kind: 'conflict' });
    await sends.recordFailure({ requestId: 'request-1' }, NOW);
    expect(await wait(LATER)).toEqual({ kind: 'applied' });
    expect(await sends.recordFailure({ requestId: 'request-1' }, '2026-11-22T12:00:00.000Z')).toBe(
      '2026-11-22T12:00:00.000Z',
    );
  });
});

describe('a send that could not be processed', () => {
  const FAILED = {
    state: 'refused',
    at: NOW,
    code: 'PROCESSING_FAILED',
    decision: 'It has failed for a day.',
  } as const;

  it.each(['waiting', 'expired'] as const)('has no code once it is redriven and %s', async (state) => {
    await sends.recordWithoutCall(SEND, FAILED);
    expect(await sends.recordWithoutCall(SEND, { state, at: LATER, decision: 'Because.' })).toEqual({
      kind: 'applied',
    });
    expect(await item()).toMatchObject({ state });
    expect(await item()).not.toHaveProperty('code');
  });

  it('has no code once it is redriven and scheduled', async () => {
    await sends.recordWithoutCall(SEND, FAILED);
    expect(await sends.schedule(SEND, { at: LATER, sendAt: LATER })).toEqual({ kind: 'applied' });
    expect(await item()).toMatchObject({ state: 'scheduled' });
    expect(await item()).not.toHaveProperty('code');
  });
});

describe('confirming a send', () => {
  const confirm = (at = LATER) => sends.confirm('request-1', { messageId: 'message-1', at });

  it('returns its message, with the time of the claim', async () => {
    await claim('claim-1');
    const sent = { requestId: 'request-1', contact, traceparent: TRACEPARENT };
    const message = { id: 'message-1', ...sent, call, claimedAt: NOW, attempt: 1 };
    expect(await confirm()).toEqual(message);
    // A repeated delivery completes what a dead function left undone.
    expect(await confirm()).toEqual(message);
    // If neither the status nor its delivery has a time, the repetition has a later one.
    expect(await confirm(addMs(LATER, 1))).toEqual(message);
    expect(await item()).toMatchObject({ acceptedAt: LATER, identifiedAt: LATER });
  });

  describe('after a template with an unknown outcome and a free-form message that was rejected', () => {
    const template = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update' } };
    const sent = { requestId: 'request-1', contact, traceparent: TRACEPARENT };
    const message = { id: 'message-1', ...sent, call: template, claimedAt: NOW, attempt: 1 };
    const claimLater = { ...claimOf('claim-2'), claimedAt: addMs(LATER, 1_000) };
    const REJECTED = sendResult('rejected', addMs(LATER, 2_000));
    const read = async () => {
      const send = await sends.read('request-1');
      if (send === undefined) throw new Error('The send is missing.');
      return send;
    };
    const resolve = async (outcome: 'resend' | 'failed') =>
      sends.resolve(await read(), { outcome, at: LATER, why: 'An operator resolved it.' });

    beforeEach(async () => {
      await sends.claim(SEND, { ...claimOf('claim-1'), call: template }, { resend: false });
      await sends.recordResult('request-1', 'claim-1', UNCERTAIN);
    });

    it.each([
      ['by itself', () => sends.claim(SEND, claimLater, { resend: true })],
      [
        'by an operator',
        async () => {
          await resolve('resend');
          await sends.claim(SEND, claimLater, { resend: false });
        },
      ],
      [
        'by an operator who first found that it had failed',
        async () => {
          await resolve('failed');
          await resolve('resend');
          await sends.claim(SEND, claimLater, { resend: false });
        },
      ],
    ])('returns the template as the message, every time, when it was resent %s', async (_, resend) => {
      await resend();
      await sends.recordResult('request-1', 'claim-2', REJECTED);

      expect(await confirm()).toEqual(message);
      expect(await confirm()).toEqual(message);
      expect(acceptedCall(await read())).toEqual({ call: template, claimedAt: NOW, attempt: 1 });
    });

    it('returns the latest call while its outcome is unknown, too', async () => {
      await sends.claim(SEND, claimLater, { resend: true });
      expect(await confirm()).toEqual({ ...message, call, claimedAt: claimLater.claimedAt, attempt: 2 });
    });

    it('returns the latest call although the clock of the operator who resent it was ahead', async () => {
      const at = addMs(claimLater.claimedAt, 60_000);
      await sends.resolve(await read(), { outcome: 'resend', at, why: 'An operator resolved it.' });
      await sends.claim(SEND, claimLater, { resend: false });
      await sends.recordResult('request-1', 'claim-2', UNCERTAIN);

      expect(await confirm()).toMatchObject({ call, attempt: 2 });
    });

    it.each(['rejected', 'waiting', 'refused', 'expired'] as const)(
      'leaves the same item whether the status comes before or after the free-form message is %s',
      async (state) => {
        const result = sendResult(state, addMs(LATER, 2_000));
        await sends.claim(SEND, claimLater, { resend: true });
        await confirm();
        expect(await sends.recordResult('request-1', 'claim-2', result)).toMatchObject({ kind: 'conflict' });
        expect(await sends.recordResult('request-1', 'claim-2', result)).toMatchObject({ kind: 'conflict' });
        const confirmedFirst = await item();
        expect(acceptedCall(await read())).toEqual({ call: template, claimedAt: NOW, attempt: 1 });

        tableName = await tables.createTable();
        repositories = repositoriesOf(tables.tableOf(tableName));
        sends = repositories.sends;
        await sends.claim(SEND, { ...claimOf('claim-1'), call: template }, { resend: false });
        await sends.recordResult('request-1', 'claim-1', UNCERTAIN);
        await sends.claim(SEND, claimLater, { resend: true });
        await sends.recordResult('request-1', 'claim-2', result);
        await confirm();

        expect(await item()).toEqual(confirmedFirst);
      },
    );
  });

  it.each([
    ['named by a status', () => confirm(), { acceptedAt: NOW, identifiedAt: NOW, confirmedBy: 'status' }],
    [
      'named by a status after an answer without its id',
      async () => {
        await sends.recordResult('request-1', 'claim-1', { ...ACCEPTED, messageId: undefined });
        await confirm();
      },
      { acceptedAt: LATER, identifiedAt: NOW },
    ],
  ])('keeps the earliest time of a message that has failed and was %s', async (_, name, times) => {
    await claim('claim-1');
    await name();
    await sends.fail('request-1', { messageId: 'message-1', at: LATER, failure: '131026 ' });
    for (const at of [NOW, LATER]) await confirm(at);
    expect(await item()).toMatchObject({ state: 'failed', failedAt: LATER, ...times });
  });

  it.each(['rejected', 'waiting'] as const)('of an erased contact does not record the result %s', async (state) => {
    await claim('claim-1');
    await confirm();
    const longAfter = addMs(NOW, 16 * 60_000);
    await repositories.erasures.erase(contact, { kind: 'send', id: 'request-1', messageIds: ['message-1'] }, longAfter);
    const erased = await item();
    expect(erased).toMatchObject({ state: 'accepted', body: '', erasedAt: longAfter });
    const result = sendResult(state, longAfter);
    expect(await sends.recordResult('request-1', 'claim-1', result)).toMatchObject({ kind: 'conflict' });
    expect(await item()).toEqual(erased);
  });

  it('returns no message of an erased contact', async () => {
    await claim('claim-1');
    await sends.recordResult('request-1', 'claim-1', UNCERTAIN);
    await repositories.erasures.erase(contact, { kind: 'send', id: 'request-1' }, LATER);
    expect(await confirm()).toBeUndefined();
    expect(await item()).toMatchObject({ state: 'accepted', body: '' });
  });
});
