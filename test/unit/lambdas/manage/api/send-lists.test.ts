import { beforeEach, describe, expect, it } from 'vitest';
import { sendCountsResponse, sendListResponse } from '../../../../../lambdas/manage/api/send-lists.ts';
import { claim, NOW, queuedSend, sendRequest, sendResult, USER } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const LATER = '2026-11-20T12:00:05.000Z';

const list = async (query: Record<string, string>) => {
  const { status, body } = await stage.call('listSends', { query });
  expect(body).toEqual(expect.objectContaining({ sends: expect.any(Array) }));
  expect(status).toBe(200);
  return sendListResponse.parse(body).sends.map(({ requestId }) => requestId);
};

const count = async (query: Record<string, string>) => {
  const { status, body } = await stage.call('countSends', { query });
  expect([status, body]).toEqual([200, expect.anything()]);
  return sendCountsResponse.parse(body).counts;
};

const cursorOf = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');

const putInBroadcast = async (requestId: string, broadcastId = 'broadcast-1') => {
  const send = queuedSend(sendRequest({ requestId, broadcastId }));
  await stage.sends.recordWithoutCall(send, { state: 'refused', at: NOW, code: 'OPTED_OUT', decision: 'Opted out.' });
};

describe('the list of sends', () => {
  it.each(['scheduled', 'waiting', 'refused', 'rejected', 'expired', 'uncertain', 'failed'] as const)(
    'has those that are %s',
    async (state) => {
      await putSendInState(stage.sends, state, { requestId: 'a' });
      await putSendInState(stage.sends, 'accepted', { requestId: 'b' });

      expect(await list({ state })).toEqual(['a']);
      expect(await list({ state, since: '2026-11-22T12:00:00Z' })).toEqual([]);
    },
  );

  it('has those of a contact, in any state', async () => {
    await putSendInState(stage.sends, 'accepted', { requestId: 'a' });
    await putSendInState(stage.sends, 'refused', { requestId: 'b', at: LATER });

    expect(await list({ contact: USER })).toEqual(['b', 'a']);
    expect(await list({ contact: USER, state: 'accepted' })).toEqual(['a']);
    expect(await list({ contact: USER, since: LATER })).toEqual(['b']);
    expect(await list({ contact: '+5491155550001' })).toEqual([]);
  });

  it('shows the broadcast of a send, and has the sends of a broadcast', async () => {
    await putInBroadcast('a');
    await putInBroadcast('b', 'broadcast-2');

    const { body } = await stage.call('listSends', { query: { broadcast: 'broadcast-1' } });

    expect(body).toMatchObject({ sends: [{ requestId: 'a', broadcastId: 'broadcast-1', code: 'OPTED_OUT' }] });
    expect(await stage.call('getSend', { id: 'a' })).toMatchObject({ body: { broadcastId: 'broadcast-1' } });
    expect(await list({ broadcast: 'broadcast-1', code: 'NO_OPT_IN' })).toEqual([]);
  });

  it('has a send whose accepted message failed as failed by its code, and no longer as accepted', async () => {
    const send = queuedSend(sendRequest({ broadcastId: 'broadcast-1' }));
    await stage.sends.claim(send, claim(), { resend: false });
    await stage.sends.recordResult('request-1', 'claim-1', sendResult('accepted'));
    expect(await count({ broadcast: 'broadcast-1' })).toEqual([{ state: 'accepted', count: 1 }]);
    const { messageId = '' } = (await stage.sends.read('request-1')) ?? {};

    await stage.sends.fail('request-1', { messageId, at: LATER, failure: '131026 cannot receive' });

    expect(await count({ broadcast: 'broadcast-1' })).toEqual([{ state: 'failed', code: '131026', count: 1 }]);
    expect(await list({ state: 'failed', code: '131026', since: LATER })).toEqual(['request-1']);
    expect(await list({ state: 'failed', code: '131049' })).toEqual([]);
  });

  it("has the chat service's code of a rejection until the send is resent", async () => {
    await putSendInState(stage.sends, 'rejected');
    expect(await list({ state: 'rejected', code: '104' })).toEqual(['request-1']);
    expect(await list({ state: 'rejected', code: '105' })).toEqual([]);

    await stage.call('resolveSend', { body: { requestId: 'request-1', outcome: 'resend' } });

    expect(await list({ state: 'rejected' })).toEqual([]);
    const { body } = await stage.call('listSends', { query: { state: 'waiting' } });
    expect(sendListResponse.parse(body).sends).toEqual([expect.not.objectContaining({ code: expect.anything() })]);
  });

  it('keeps an erased send only in its broadcast, without its contact', async () => {
    await putInBroadcast('a');
    await stage.call('eraseContact', { id: USER });
    await stage.erase();

    expect((await stage.sends.read('a'))?.erasedAt).toBeDefined();
    expect(await list({ contact: USER })).toEqual([]);
    expect(await list({ state: 'refused' })).toEqual([]);
    expect(await list({ broadcast: 'broadcast-1' })).toEqual(['a']);
    expect(await count({ broadcast: 'broadcast-1' })).toEqual([{ state: 'refused', code: 'OPTED_OUT', count: 1 }]);
  });

  it.each([
    ['neither a state, nor a contact, nor a broadcast', {}, 'add `state`, `contact`, `customerId`, or `broadcast`'],
    ['only a code', { code: 'OPTED_OUT' }, 'add `state`, `contact`, `customerId`, or `broadcast`'],
    ['an unknown state', { state: 'sent' }, 'state: must be one of queued, scheduled'],
    [
      'a state that is not listed',
      { state: 'accepted' },
      'only with `contact`, `customerId`, or `broadcast`; add that, or use one of scheduled, ',
    ],
    ['a claimed send of a broadcast', { state: 'claimed', broadcast: 'b' }, 'so `broadcast` does not list it'],
    ['a number without a contact', { state: 'refused', chatChannelNumber: '+5491100000099' }, 'add `contact`'],
    ['a broadcast with a space', { broadcast: 'a b' }, 'broadcast: must be 1 to 64'],
    ['a code that is none', { state: 'refused', code: 'a#b' }, 'code: must be a code'],
    ['a time without an offset', { state: 'refused', since: '2026-11-20T12:00:00' }, 'since: must be an ISO 8601'],
    ['a contact that is half a character', { contact: '\ud800' }, 'contact: is not well-formed'],
    ['another field', { state: 'refused', status: 'x' }, 'has the unknown field status'],
  ])('refuses %s', async (_case, query, explanation) => {
    expect(await stage.call('listSends', { query })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining(explanation) },
    });
  });
});

describe('the counts of sends', () => {
  it('are by state and code', async () => {
    await putInBroadcast('a');
    await putInBroadcast('b');
    await putSendInState(stage.sends, 'refused', { requestId: 'c', at: LATER });
    const [optedOut, notOptedIn] = [
      { state: 'refused', code: 'OPTED_OUT', count: 2 },
      { state: 'refused', code: 'NO_OPT_IN', count: 1 },
    ];

    expect(await count({ broadcast: 'broadcast-1' })).toEqual([optedOut]);
    expect(await count({ state: 'refused' })).toEqual(expect.arrayContaining([optedOut, notOptedIn]));
    expect(await count({ state: 'refused', since: LATER })).toEqual([notOptedIn]);
    expect(await count({ state: 'refused', code: 'NO_OPT_IN' })).toEqual([notOptedIn]);
    expect(await count({ state: 'waiting' })).toEqual([]);
  });

  it('of a broadcast do not have a send while it is being sent', async () => {
    const send = queuedSend(sendRequest({ broadcastId: 'broadcast-1' }));
    await stage.sends.register(send, NOW);
    expect(await count({ broadcast: 'broadcast-1' })).toEqual([{ state: 'queued', count: 1 }]);
    await stage.sends.claim(send, claim(), { resend: false });
    expect(await count({ broadcast: 'broadcast-1' })).toEqual([]);
  });

  it.each([
    ['neither a state nor a broadcast', {}, 'add `state` or `broadcast`'],
    ['a state that is not listed', { state: 'queued' }, 'only with `broadcast`; add that, or use one of'],
    ['a contact', { contact: USER, state: 'refused' }, 'has the unknown field contact'],
  ])('refuse %s', async (_case, query, explanation) => {
    expect(await stage.call('countSends', { query })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining(explanation) },
    });
  });
});

describe('a cursor that the API did not return', () => {
  const CURSORS = [
    'x',
    cursorOf(7),
    cursorOf(null),
    cursorOf(['refused#1']),
    cursorOf({ 'refused#1': 7 }),
    cursorOf({ 'refused#1': '' }),
    cursorOf({ 'refused#1': 'a b c' }),
    cursorOf({ 'refused#1': `${NOW} é` }),
    cursorOf({ '\ud800': 'exhausted' }),
    cursorOf({ 'refused#1': `${NOW} \ud800` }),
    cursorOf({ at: NOW, id: '\udc00' }),
  ];

  it.each(CURSORS)('is refused: %s', async (cursor) => {
    const INVALID = { status: 400, body: { code: 'INVALID_CURSOR' } };
    expect(await stage.call('listSends', { query: { state: 'refused', cursor } })).toMatchObject(INVALID);
    expect(await stage.call('listSends', { query: { contact: USER, cursor } })).toMatchObject(INVALID);
    expect(await stage.call('countSends', { query: { state: 'refused', cursor } })).toMatchObject(INVALID);
    expect(await stage.call('listUncertainSends', { query: { cursor } })).toMatchObject(INVALID);
  });
});
