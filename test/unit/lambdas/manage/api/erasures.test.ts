import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { serializeDueMessage } from '../../../../../lambdas/domain/send-request.ts';
import { SEND_STATES } from '../../../../../lambdas/domain/send-transitions.ts';
import { createErasureWorker } from '../../../../../lambdas/manage/erase-contact.ts';
import { DONE } from '../../../../../lambdas/runtime/queue-handler.ts';
import { NOW, RETENTION_DAYS, sendRequest, USER, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { sqsRecord } from '../../../../support/sqs-record.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { outbound } from '../../adapters/dynamodb/message-builders.ts';
import { createSendHarness } from '../../send/send-harness.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

/** How many messages the erased contact has. The requirement is 50,000. */
const MESSAGES = Number(process.env.PARLEY_ERASED_MESSAGES ?? 300);

/** The entry of the erasure's request, which names no contact. */
const AUDIT_ENTRY = expect.stringMatching(/^AUDIT#[0-9a-f-]{36} AUDIT$/);

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const requestErasure = () => stage.call('eraseContact', { id: USER });
const queuedErasure = async () => {
  await requestErasure();
  const [erasure] = stage.queuedErasures;
  if (!erasure) throw new Error('No erasure was queued.');
  return erasure;
};
/** All that could identify the contact. */
const PERSONAL = /1155550000|parcel|Ana/;
/** What is left of the message of an erased send. */
const erasedMessage = (id: string) => ({
  pk: `MESSAGE#${id}`,
  sk: 'MESSAGE',
  erasedAt: NOW,
  expiresAt: Date.parse(NOW) / 1000 + RETENTION_DAYS.messages * 24 * 60 * 60,
});
const AFTER_THE_LEASE = '2026-11-20T12:03:01.000Z';

describe('an erasure', () => {
  it('removes every trace of the contact except an empty record of its sends, and touches no other contact', async () => {
    await stage.receive(wireMessage());
    await stage.receive(wireStatus());
    await stage.receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: '5491155550000' }));
    const envelope = { v: '1.1', chatPlatform: 'chat', contactId: USER };
    await stage.receive({
      ...envelope,
      firstName: 'Ana',
      messages: [{ _id: 'v-user', from: 'user', message: 'parcel' }],
    });
    await stage.receive({ ...envelope, messages: [{ _id: 'v-unknown', from: 'supervisor', message: 'parcel' }] });
    await stage.receive({
      ...envelope,
      type: 'status',
      messageId: 'v-status',
      status: 'error',
      reason: `Call ${USER}`,
    });
    await stage.receive({ ...envelope, type: 'event', note: 'parcel' });
    await stage.receive(wireMessage({ _id_: 'another', FROM: '5491155559999', CUSTOMER_ID: 'customer-2' }));
    const { request, contact } = await putSendInState(stage.sends, 'accepted');
    const { requestId } = request;
    const call = { endpoint: 'message/v3' as const, body: { messageText: request.messageText } };
    await stage.messages.recordOutbound({ id: 'out', requestId, contact, call, claimedAt: NOW, attempt: 1 });

    const answer = await requestErasure();
    await stage.erase();

    expect(answer).toMatchObject({ status: 202, body: { erasureId: 'id-1', state: 'running' } });
    expect((await stage.call('getErasure', { id: 'id-1' })).body).toMatchObject({
      state: 'done',
      messages: 7,
      sends: 1,
      finishedAt: NOW,
    });
    const items = await stage.items();
    expect(Object.keys(items).toSorted()).toEqual([
      AUDIT_ENTRY,
      'CONTACT#chat#*#541155559999 CONTACT',
      'CUSTOMER#chat#customer-2 CUSTOMER#*',
      'ERASURE#id-1 ERASURE',
      'MESSAGE#another MESSAGE',
      'MESSAGE#message-request-1 MESSAGE',
      'SEND#request-1 SEND',
      // Only the name of the unknown event, and since when it is known.
      'UNKNOWN#event UNKNOWN',
    ]);
    expect(items['MESSAGE#message-request-1 MESSAGE']).toEqual(erasedMessage('message-request-1'));
    const left = JSON.stringify([items['ERASURE#id-1 ERASURE'], items['SEND#request-1 SEND']]);
    expect(left).not.toMatch(PERSONAL);
    expect(await stage.call('getContact', { id: USER })).toMatchObject({ status: 404 });
  });

  it('starts once the index has what was stored before, because it ends when it finds nothing', async () => {
    await requestErasure();
    expect(stage.erasureDelaySeconds).toBe(2);
  });

  it('leaves no record that it is running if the queue did not accept it', async () => {
    vi.spyOn(stage.queuedErasures, 'push').mockImplementation(() => {
      throw new Error('The queue is unavailable.');
    });

    await requestErasure().catch(() => undefined);

    expect(await stage.call('getErasure', { id: 'id-1' })).toMatchObject({ status: 404 });
  });

  it(`of a contact with ${MESSAGES} messages takes several passes, any of which can fail and be retried`, async () => {
    let next = 0;
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (next < MESSAGES) await stage.receive(wireMessage({ _id_: `m-${next++}` }));
      }),
    );
    const erasure = await queuedErasure();
    // Each pass has time for one of six pages, and every other pass dies before it records its work.
    const { query } = stage.table;
    const inPages = createDynamodbErasures({
      ...stage.table,
      query: (parameters) => query({ ...parameters, Limit: Math.ceil(MESSAGES / 6) }),
    });
    const dying = { ...inPages, recordPass: async () => Promise.reject(new Error('killed')) };
    let nowMs = Date.parse(NOW);
    const clock = {
      now: () => {
        nowMs += 1;
        return new Date(nowMs).toISOString();
      },
    };
    let passes = 0;
    for (let isDone = false; !isDone; passes += 1) {
      const erasures = passes % 2 === 0 ? dying : inPages;
      const erasePass = createErasureWorker({ ...stage.ports, erasures, clock, passMs: ms(1) });
      const result = await erasePass(sqsRecord(JSON.stringify(erasure))).catch(() => undefined);
      isDone = result?.kind === 'done';
    }

    expect(Object.keys(await stage.items()).toSorted()).toEqual([AUDIT_ENTRY, 'ERASURE#id-1 ERASURE']);
    expect(passes).toBeGreaterThanOrEqual(8);
  });

  it('that is requested again finds nothing and does no harm', async () => {
    await stage.receive(wireMessage());
    await requestErasure();
    await stage.erase();
    await requestErasure();
    await stage.erase();
    expect((await stage.call('getErasure', { id: 'id-2' })).body).toMatchObject({
      state: 'done',
      messages: 0,
      sends: 0,
    });
  });

  it('is done once when its queue message is delivered twice', async () => {
    await stage.receive(wireMessage());
    const erasure = await queuedErasure();
    await stage.erase();
    const before = await stage.items();
    expect(await stage.erasePass(erasure)).toEqual(DONE);
    expect(await stage.items()).toEqual(before);
  });

  it('keeps what the user writes after the request, as a new contact', async () => {
    await stage.receive(wireMessage());
    await requestErasure();
    stage.setNow('2026-11-20T13:00:00.000Z');
    await stage.receive(wireMessage({ _id_: 'new', CREATION_TIME: '2026-11-20T12:30:00.000Z' }));
    await stage.erase();

    expect((await stage.call('getConversation', { id: USER })).body).toMatchObject({ messages: [{ id: 'new' }] });
    expect((await stage.call('getContact', { id: USER })).body).toMatchObject({ window: { open: true } });
  });

  it('keeps a consent that was recorded after the request, whatever its own time, and nothing older', async () => {
    await stage.receive(wireMessage());
    const consent = { platformContactId: USER, source: 'call with Ana' };
    await stage.call('optIn', { body: { ...consent, at: '2026-01-01T00:00:00Z' } });
    await stage.call('optOut', { body: { ...consent, at: '2026-01-02T00:00:00Z' } });
    await requestErasure();
    stage.setNow('2026-11-20T12:00:05.000Z');
    const form = { platformContactId: USER, source: 'new form', at: '2026-11-19T00:00:00.000Z' };
    expect(await stage.call('optIn', { body: form })).toMatchObject({ status: 200 });

    await stage.erase();

    const { body } = await stage.call('getContact', { id: USER });
    const consents = [{ kind: 'opt-in', origin: 'import', at: form.at, source: 'new form' }];
    expect(body).toMatchObject({ consent: { state: 'opted-in', source: 'new form' }, window: { open: false } });
    expect(body).toHaveProperty('consents', consents);
    expect(JSON.stringify(await stage.items())).not.toMatch(/parcel|Ana/);
  });

  it('never makes consents count that neither counted before nor count afterward', async () => {
    const record = (kind: 'optIn' | 'optOut', origin: string, at: string) =>
      stage.call(kind, { body: { platformContactId: USER, source: 'form', origin, at } });
    await record('optOut', 'user', '2026-11-01T00:00:00Z');
    await record('optIn', 'user', '2026-11-02T00:00:00Z');
    const erasure = await queuedErasure();
    stage.setNow('2026-11-20T12:00:05.000Z');
    await record('optIn', 'import', '2026-11-03T00:00:00Z');

    const states: unknown[] = [];
    for (let writes = 0; writes < 12; writes += 1) {
      await stage.erasePassWithWrites(erasure, writes);
      states.push(Object((await stage.call('getContact', { id: USER })).body).consent.state);
    }

    expect(states).toEqual(states.map(() => 'opted-in'));
    const { body } = await stage.call('getContact', { id: USER });
    expect(body).toHaveProperty('consents', [expect.objectContaining({ kind: 'opt-in', origin: 'import' })]);
  });

  it('keeps an opt-out that was recorded after the request, even if an earlier one has a later time', async () => {
    const optOut = { platformContactId: USER, source: 'letter' };
    await stage.call('optOut', { body: { ...optOut, at: '2026-11-20T11:00:00.000Z' } });
    await requestErasure();
    stage.setNow('2026-11-20T12:00:02.000Z');
    await stage.call('optOut', { body: { ...optOut, at: '2026-11-18T11:00:00.000Z' } });

    await stage.erase();

    expect((await stage.call('getContact', { id: USER })).body).toMatchObject({ consent: { state: 'opted-out' } });
  });

  it('keeps a consent that was recorded again after the request', async () => {
    const consent = { platformContactId: USER, source: 'form', at: '2026-01-01T00:00:00.000Z' };
    await stage.call('optIn', { body: consent });
    await requestErasure();
    stage.setNow('2026-11-20T12:00:05.000Z');
    await stage.call('optIn', { body: consent });

    await stage.erase();

    expect((await stage.call('getContact', { id: USER })).body).toMatchObject({
      consent: { state: 'opted-in', at: consent.at },
    });
  });

  it('removes what a function recorded about an earlier send after the request', async () => {
    await stage.receive(wireMessage());
    await requestErasure();
    const later = '2026-11-20T12:00:05.000Z';
    await stage.contacts.denyWindow(contactRef('chat', USER), later);
    await stage.contacts.recordCheck(contactRef('chat', USER), { checkedAt: later, checkedAddress: '541155550000' });

    await stage.erase();

    expect(Object.keys(await stage.items()).toSorted()).toEqual([AUDIT_ENTRY, 'ERASURE#id-1 ERASURE']);
  });

  it('removes what is older than the request, even if the user has written since', async () => {
    await stage.call('optIn', { body: { platformContactId: USER, source: 'call with Ana' } });
    await stage.contacts.denyWindow(contactRef('chat', USER), NOW);
    await stage.contacts.recordCheck(contactRef('chat', USER), { checkedAt: NOW, checkedAddress: '541155550000' });
    await requestErasure();
    stage.setNow('2026-11-20T13:00:00.000Z');
    await stage.receive(wireMessage({ CREATION_TIME: '2026-11-20T12:30:00.000Z' }));

    await stage.erase();

    expect(await stage.contacts.read(contactRef('chat', USER), NOW)).toEqual({
      address: '5491155550000',
      customerAt: '2026-11-20T12:30:00.000Z',
      name: 'Ana',
      customerId: 'customer-1',
      writerIds: ['customer-1'],
      lastInboundAt: '2026-11-20T12:30:00.000Z',
      lastInboundId: 'message-1',
    });
  });

  it('keeps what a function recorded after the request about a user who has written since', async () => {
    await stage.contacts.recordCheck(contactRef('chat', USER), { checkedAt: NOW, checkedAddress: '541155550000' });
    await requestErasure();
    const later = '2026-11-20T12:00:05.000Z';
    stage.setNow(later);
    await stage.receive(wireMessage({ CREATION_TIME: '2026-11-20T12:00:04.000Z' }));
    await stage.contacts.denyWindow(contactRef('chat', USER), later);
    await stage.contacts.recordCheck(contactRef('chat', USER), { checkedAt: later });

    await stage.erase();

    expect(await stage.contacts.read(contactRef('chat', USER), later)).toMatchObject({
      windowDeniedAt: later,
      checkedAt: later,
    });
    expect((await stage.call('getContact', { id: USER })).body).toMatchObject({ check: { onPlatform: false } });
  });

  it('returns 404 if it does not exist', async () => {
    expect(await stage.call('getErasure', { id: 'unknown' })).toMatchObject({
      status: 404,
      body: { code: 'ERASURE_NOT_FOUND' },
    });
  });
});

describe('an erasure of a send that a function has claimed', () => {
  it('waits for the end of the lease, because the function would write the message again', async () => {
    await putSendInState(stage.sends, 'claimed');
    const erasure = await queuedErasure();

    expect(await stage.erasePass(erasure)).toEqual({ kind: 'retry', afterMs: 30_000 });
    expect(await stage.sendItem()).toMatchObject({ state: 'claimed', body: JSON.stringify(sendRequest()) });
    stage.setNow(AFTER_THE_LEASE);
    await stage.erase();

    expect(await stage.sendItem()).toMatchObject({
      state: 'uncertain',
      uncertainAt: AFTER_THE_LEASE,
      body: '',
      erasedAt: AFTER_THE_LEASE,
    });
  });

  it.each(SEND_STATES)('counts it as uncertain only if the function died: %s', async (state) => {
    await putSendInState(stage.sends, state);
    await requestErasure();
    stage.setNow(AFTER_THE_LEASE);
    await stage.erase();

    expect(stage.counted).toEqual(state === 'claimed' ? ['SendUncertain'] : []);
  });

  it('also erases the message that the function recorded meanwhile', async () => {
    const { request, contact } = await putSendInState(stage.sends, 'claimed');
    const call = { endpoint: 'message/v3' as const, body: { messageText: request.messageText } };
    await stage.erasePass(await queuedErasure());
    const { requestId } = request;
    await stage.sends.recordResult(requestId, 'claim-request-1', {
      state: 'accepted',
      at: NOW,
      messageId: 'out',
      outcome: 'The chat service accepted it.',
    });
    await stage.messages.recordOutbound({ id: 'out', requestId, contact, call, claimedAt: NOW, attempt: 1 });
    await stage.erase();

    expect(await stage.item('MESSAGE#out MESSAGE')).toEqual(erasedMessage('out'));
    expect(await stage.sendItem()).toMatchObject({ state: 'accepted', body: '' });
  });
});

describe('the message of an erased send', () => {
  const recordMessage = () =>
    stage.messages.recordOutbound(
      outbound({ id: 'out', call: { endpoint: 'message/v3', body: { messageText: 'Your parcel is here.' } } }),
    );
  const acceptSend = async () => {
    await putSendInState(stage.sends, 'claimed');
    await stage.sends.recordResult('request-1', 'claim-request-1', {
      state: 'accepted',
      at: NOW,
      messageId: 'out',
      outcome: 'The chat service accepted it.',
    });
    return queuedErasure();
  };

  it('is not stored by a slow function that recorded the send before the erasure', async () => {
    await acceptSend();
    await stage.erase();

    await recordMessage();

    expect(await stage.item('MESSAGE#out MESSAGE')).toEqual(erasedMessage('out'));
    expect((await stage.call('getMessage', { id: 'out' })).status).toBe(404);
  });

  it('is not stored if its statuses arrive before and during the erasure', async () => {
    const erasure = await acceptSend();
    await stage.receive(wireStatus({ _id_: 'out', STATUS: 'delivered' }));
    await stage.receive(wireMessage({ _id_: 'out', STATUS: 'failed' }));
    await stage.receive(wireStatus({ _id_: 'out', STATUS: 'seen' }));
    await stage.erasePass(erasure);
    await stage.receive(wireStatus({ _id_: 'out', STATUS: 'read' }));
    await stage.erase();

    await recordMessage();

    expect(await stage.item('MESSAGE#out MESSAGE')).toEqual(erasedMessage('out'));
  });

  it('has the statuses that arrive after the erasure', async () => {
    await acceptSend();
    await recordMessage();
    await stage.erase();

    await stage.receive(wireStatus({ _id_: 'out', STATUS: 'read' }));
    await recordMessage();

    const { status, body } = await stage.call('getMessage', { id: 'out' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'out', readAt: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('parcel');
  });
});

describe('an erasure of dead letters', () => {
  const wanted = { body: JSON.stringify(sendRequest()), groupId: USER };
  const other = { body: JSON.stringify(sendRequest({ platformContactId: '+5491155559999' })) };

  it("deletes those of the contact and leaves the others', once nothing else is left", async () => {
    await stage.receive(wireMessage());
    stage.queuedDeadLetters = [wanted, other, { ...wanted, groupId: 'another-group' }];
    const erasure = await queuedErasure();
    await stage.erasePass(erasure);
    expect(stage.queuedDeadLetters).toHaveLength(3);

    await stage.erase();

    expect(stage.queuedDeadLetters).toEqual([other]);
    expect((await stage.call('getErasure', { id: 'id-1' })).body).toMatchObject({ state: 'done', deadLetters: 2 });
  });

  it('waits for a random time while another erasure searches them, so that one of the two can end', async () => {
    stage.isEveryDeadLetterVisible = false;
    const randomness = { random: () => 0.5 };
    const erasePass = createErasureWorker({ ...stage.ports, randomness, passMs: ms(60_000) });

    expect(await erasePass(sqsRecord(JSON.stringify(await queuedErasure())))).toEqual({
      kind: 'retry',
      afterMs: 45_000,
    });
  });

  it('waits until another consumer has released what it received', async () => {
    const erasure = await queuedErasure();
    stage.isEveryDeadLetterVisible = false;
    stage.queuedDeadLetters = [wanted];
    expect(await stage.erasePass(erasure)).toEqual({ kind: 'retry', afterMs: 30_000 });
    stage.isEveryDeadLetterVisible = true;

    expect(await stage.erasePass(erasure)).toEqual(DONE);

    expect((await stage.call('getErasure', { id: 'id-1' })).body).toMatchObject({ state: 'done', deadLetters: 1 });
  });
});

describe('an erasure while another function moves dead letters to the table', () => {
  it.each([
    ['deletes a dead letter that arrives in the table while the erasure searches the queues', NOW],
    ['deletes one that came to its queue after the request', addMs(NOW, 1_000)],
  ])('%s', async (_, since) => {
    const deadLetter = {
      id: 'dead',
      queue: 'send' as const,
      reason: 'X',
      body: JSON.stringify(sendRequest()),
      since,
    };
    let isMoved = false;
    const queuedDeadLetters = {
      async remove() {
        if (!isMoved)
          await stage.deadLetters.keep(deadLetter, [contactRef('chat', USER)], { at: NOW, keepId: 'keep-1' });
        isMoved = true;
        return { removed: 0, isComplete: true };
      },
    };
    const erasePass = createErasureWorker({ ...stage.ports, queuedDeadLetters, passMs: ms(60_000) });
    const message = sqsRecord(JSON.stringify(await queuedErasure()));
    let second = 2;
    do {
      stage.setNow(addMs(NOW, second * 1_000));
      second += 60;
    } while ((await erasePass(message)).kind !== 'done');

    expect(await stage.deadLetters.read('dead')).toBeUndefined();
  });
});

describe('an erasure of a scheduled send', () => {
  it('deletes its schedule, whose input names the contact', async () => {
    await putSendInState(stage.sends, 'scheduled', { requestId: 'scheduled' });
    await putSendInState(stage.sends, 'cancelled', { requestId: 'cancelled' });
    await putSendInState(stage.sends, 'accepted', { requestId: 'accepted' });
    await requestErasure();
    await stage.erase();

    expect(stage.cancelledSchedules.toSorted()).toEqual(['cancelled', 'scheduled']);
  });

  it('finds it again if the schedule could not be deleted', async () => {
    await putSendInState(stage.sends, 'scheduled');
    const erasure = await queuedErasure();
    stage.isSchedulerUnavailable = true;
    await expect(stage.erasePass(erasure)).rejects.toThrow('unavailable');
    expect(await stage.sendItem()).toMatchObject({ state: 'scheduled' });
    stage.isSchedulerUnavailable = false;

    await stage.erase();

    expect(stage.cancelledSchedules).toEqual(['request-1']);
    expect(await stage.sendItem()).toMatchObject({ state: 'cancelled', body: '' });
  });
});

describe('an erased send whose outcome has details', () => {
  it('keeps neither the outcome nor the decision', async () => {
    const send = await putSendInState(stage.sends, 'claimed');
    const outcome = 'HTTP 400, code 304';
    const outcomeDetails = `The request to ${USER} is invalid`;
    await stage.sends.recordResult('request-1', 'claim-request-1', {
      state: 'rejected',
      at: NOW,
      outcome,
      outcomeDetails,
    });
    await requestErasure();
    stage.setNow(AFTER_THE_LEASE);
    await stage.erase();

    const item = await stage.sendItem();
    expect(item).toMatchObject({ state: 'rejected', body: '', erasedAt: AFTER_THE_LEASE });
    expect(JSON.stringify(item)).not.toMatch(PERSONAL);
    expect(item).not.toHaveProperty('decision');
    expect(send.body).toMatch(PERSONAL);
  });
});

describe.each(SEND_STATES)('an erased send that was %s', (state) => {
  /** What would still be sent is cancelled. Nobody knows the outcome of a call whose function has died. */
  const endsAs =
    state === 'queued' || state === 'scheduled' || state === 'waiting'
      ? 'cancelled'
      : state === 'claimed'
        ? 'uncertain'
        : state;
  const eraseSend = async () => {
    await putSendInState(stage.sends, state);
    await requestErasure();
    stage.setNow(AFTER_THE_LEASE);
    await stage.erase();
  };

  it(`is ${endsAs}, and its item and the API show nothing of the contact`, async () => {
    await eraseSend();
    const item = await stage.sendItem();
    expect(item).toMatchObject({ state: endsAs, body: '', erasedAt: AFTER_THE_LEASE });
    expect(Object.keys(item ?? {})).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^(contact|contactSort|createdAt|call|decision|outcome|outcomeDetails|stateShard|stateAt)$/,
        ),
      ]),
    );
    const { body } = await stage.call('getSend', { id: 'request-1' });
    expect(body).toMatchObject({ state: endsAs, erasedAt: AFTER_THE_LEASE });
    expect(JSON.stringify([item, body])).not.toMatch(PERSONAL);
    expect((await stage.call('listUncertainSends')).body).toEqual({ sends: [] });
  });

  it('is neither sent nor dead-lettered when its messages are still on the queue', async () => {
    await eraseSend();
    const harness = await createSendHarness(tables, { tableName: stage.tableName });
    harness.setNow('2026-11-22T12:00:00.000Z');
    await harness.openWindow(USER, { lastInboundAt: harness.now() });
    const sender = harness.startFunction();
    const before = await stage.sendItem();

    for (const message of [JSON.stringify(sendRequest()), serializeDueMessage('request-1')]) {
      expect(await sender.receive(message)).toEqual(DONE);
    }

    expect([harness.calls, harness.deadLetters, harness.counted]).toEqual([[], [], []]);
    expect(await stage.sendItem()).toEqual(before);
  });

  it('is not resolved by an operator whose call read it before', async () => {
    await putSendInState(stage.sends, state);
    const read = await stage.sends.read('request-1');
    if (!read) throw new Error('The send is not stored.');
    await requestErasure();
    stage.setNow(AFTER_THE_LEASE);
    await stage.erase();
    const before = await stage.sendItem();

    const resolution = { outcome: 'resend' as const, at: AFTER_THE_LEASE, why: 'An operator resends it.' };
    expect(await stage.sends.resolve(read, resolution)).toMatchObject({ kind: 'conflict' });

    expect(await stage.sendItem()).toEqual(before);
  });

  it('is neither queued nor resent by an operator', async () => {
    await eraseSend();
    const before = await stage.sendItem();
    expect(await stage.call('enqueueSend', { body: sendRequest() })).toMatchObject({ status: 409 });
    const resend = { requestId: 'request-1', outcome: 'resend' };
    expect(await stage.call('resolveSend', { body: resend })).toMatchObject({
      status: 409,
      body: { code: 'NOT_RESOLVABLE' },
    });
    expect(stage.queued).toEqual([]);
    expect(await stage.sendItem()).toEqual(before);
  });
});
