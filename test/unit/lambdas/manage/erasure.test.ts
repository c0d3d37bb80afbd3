import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { createEraseContact } from '../../../../lambdas/manage/erase-contact.ts';
import { createResumeHeld } from '../../../../lambdas/send/resume-held.ts';
import { NOW, sendRequest, USER, wireMessage, wireStatus } from '../../../support/builders.ts';
import { silentLog, silentMetrics } from '../../../support/silent.ts';
import { type EmulatedTables, startEmulatedTables } from '../aws/emulated-table.ts';
import { createManagedStage, type ManagedStage, queueMessage } from './managed-stage.ts';

/** How many messages the contact has that is erased; the requirement is 50,000. */
const MESSAGES = Number(process.env.PARLEY_ERASED_MESSAGES ?? 300);

let tables: EmulatedTables;
let stage: ManagedStage;
beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const receive = (event: unknown) =>
  stage.storeEvent({ rawBody: Buffer.from(JSON.stringify(event)), receivedAt: stage.time.now });
const CALL = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
const send = () => {
  const request = sendRequest();
  const contact = contactRef('chat', USER);
  return { request, body: JSON.stringify(request), contact, groupId: USER, deduplicationId: 'request-1' };
};
const claim = { claimId: 'c', claimedAt: NOW, leaseUntil: '2026-11-20T12:03:00.000Z', call: CALL, why: 'x' };

/** Works through the erasures as the queue does; returns the turns. */
const work = async () => {
  const turns: unknown[] = [];
  for (const erasure of stage.erasures.splice(0)) {
    for (let again = true; again; ) {
      const result = await stage.eraseTurn(erasure);
      turns.push(result);
      again = result.kind === 'again' && turns.length < 20;
    }
  }
  return turns;
};

describe('an erasure', () => {
  it('removes every trace of the contact but an empty record, and nobody else’s', async () => {
    await receive(wireMessage());
    await receive(wireStatus());
    await receive(wireMessage({ _id_: 'echo', FROM: 'me', TO: '5491155550000' }));
    await receive(wireMessage({ _id_: 'another', FROM: '5491155559999' }));
    await stage.sendStore.claim(send(), claim, { uncertainToo: false });
    await stage.sendStore.conclude('request-1', 'c', {
      state: 'accepted',
      at: NOW,
      messageId: 'out',
      call: CALL,
      why: 'x',
    });
    await stage.sendStore.recordOutbound({
      id: 'out',
      requestId: 'request-1',
      contact: send().contact,
      call: CALL,
      claimedAt: NOW,
    });

    const answer = await stage.requestErasure({ id: USER });
    await work();

    expect(answer).toMatchObject({ status: 202, body: { erasureId: 'id-1', state: 'running' } });
    expect((await stage.getErasure({ id: 'id-1' })).body).toMatchObject({
      state: 'done',
      messages: 3,
      sends: 1,
      finishedAt: NOW,
    });
    const items = await stage.items();
    expect(Object.keys(items).toSorted()).toEqual([
      'CONTACT#chat#*#541155559999 CONTACT',
      'ERASURE#id-1 ERASURE',
      'MESSAGE#another MESSAGE',
      'SEND#request-1 SEND',
    ]);
    const left = JSON.stringify([items['ERASURE#id-1 ERASURE'], items['SEND#request-1 SEND']]);
    expect(left).not.toMatch(/1155550000|Hi|parcel|Ana/);
    expect(await stage.getContact({ id: USER })).toMatchObject({ status: 404 });
  });

  it(`of a contact with ${MESSAGES} messages is done in turns, of which any may die and be repeated`, async () => {
    let next = 0;
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (next < MESSAGES)
          await receive(wireMessage({ _id_: `m-${next++}`, MESSAGE: 'x'.repeat(MESSAGES > 1000 ? 200 : 2000) }));
      }),
    );
    await stage.requestErasure({ id: USER });
    const [erasure] = stage.erasures;
    if (!erasure) throw new Error('No erasure was queued.');
    // A clock that leaves each turn the time of one page; every other turn dies before it can tell.
    let nowMs = Date.parse(NOW);
    const clock = {
      now: () => {
        nowMs += 1;
        return new Date(nowMs).toISOString();
      },
    };
    let turns = 0;
    for (let isDone = false; !isDone; turns += 1) {
      const dying = { ...stage.store, record: async () => Promise.reject(new Error('killed')) };
      const store = turns % 2 === 0 ? dying : stage.store;
      const result = await createEraseContact({ store, clock, log: silentLog, turnMs: 1 })(queueMessage(erasure)).catch(
        () => undefined,
      );
      isDone = result?.kind === 'done';
    }

    expect(Object.keys(await stage.items())).toEqual(['ERASURE#id-1 ERASURE']);
    expect(turns).toBeGreaterThan(2);
  });

  it('asked for again finds nothing, and does no harm', async () => {
    await receive(wireMessage());
    await stage.requestErasure({ id: USER });
    await work();
    await stage.requestErasure({ id: USER });
    await work();
    expect((await stage.getErasure({ id: 'id-2' })).body).toMatchObject({ state: 'done', messages: 0, sends: 0 });
  });

  it('leaves what the user writes after it was asked for: a contact begun afresh', async () => {
    await receive(wireMessage());
    await stage.requestErasure({ id: USER });
    stage.time.now = '2026-11-20T13:00:00.000Z';
    await receive(wireMessage({ _id_: 'afresh', CREATION_TIME: '2026-11-20T12:30:00.000Z' }));
    await work();

    expect((await stage.getConversation({ id: USER })).body).toMatchObject({ messages: [{ id: 'afresh' }] });
    expect((await stage.getContact({ id: USER })).body).toMatchObject({ window: { open: true } });
  });

  it('waits for a send that a function has in hand, which would write the message again', async () => {
    await stage.sendStore.claim(send(), claim, { uncertainToo: false });
    await stage.requestErasure({ id: USER });
    const [erasure] = stage.erasures;
    if (!erasure) throw new Error('No erasure was queued.');

    expect(await stage.eraseTurn(erasure)).toEqual({ kind: 'again', afterMs: 30_000 });
    stage.time.now = '2026-11-20T12:03:01.000Z';
    await work();

    expect((await stage.items())['SEND#request-1 SEND']).toMatchObject({
      state: 'claimed',
      body: '',
      erasedAt: stage.time.now,
    });
  });

  it('keeps a request that is still on the queue from going out, and from the dead letters', async () => {
    await stage.enqueueSend({ body: sendRequest() });
    await stage.requestErasure({ id: USER });
    await work();
    const claimed = await stage.sendStore.claim(send(), claim, { uncertainToo: false });
    if (claimed.kind !== 'held') throw new Error('The request of an erased contact was claimed.');
    const dead: string[] = [];
    const resumed = await createResumeHeld({
      store: stage.sendStore,
      deadLetters: { put: async (_, reason) => void dead.push(reason) },
      clock: stage.clock,
      log: silentLog,
      metrics: silentMetrics,
    })(send(), claimed.send);

    expect([resumed, dead]).toEqual([{ kind: 'done' }, []]);
  });

  it.each(['scheduled', 'waiting'] as const)('cancels a send that is %s, and takes its request', async (state) => {
    if (state === 'scheduled')
      await stage.scheduledStore.schedule(send(), { at: NOW, sendAt: '2026-11-21T12:00:00.000Z' });
    else {
      await stage.sendStore.claim(send(), claim, { uncertainToo: false });
      await stage.sendStore.conclude('request-1', 'c', { state: 'waiting', at: NOW, why: 'x' });
    }
    await stage.requestErasure({ id: USER });
    await work();

    const { state: ended, body, contact } = (await stage.items())['SEND#request-1 SEND'] ?? {};
    expect({ ended, body, contact }).toEqual({ ended: 'cancelled', body: '', contact: undefined });
  });

  it('that nobody asked for is 404', async () => {
    expect(await stage.getErasure({ id: 'nope' })).toMatchObject({ status: 404, body: { code: 'ERASURE_NOT_FOUND' } });
  });
});
