import { beforeEach, describe, expect, it } from 'vitest';
import { claim, NOW, queuedSend, USER, wireMessage } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createClientWithHooks } from '../../adapters/dynamodb/client-with-hooks.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const resolve = (body: Record<string, unknown>) =>
  stage.call('resolveSend', { body: { requestId: 'request-1', ...body } });
/** Runs `act` once, before the table writes the first resolution. */
const beforeFirstResolution = (act: () => Promise<unknown>) => {
  const { sends } = stage;
  stage.usedSends = {
    ...sends,
    async resolve(...args) {
      stage.usedSends = sends;
      await act();
      return sends.resolve(...args);
    },
  };
};
const erase = async () => {
  await stage.call('eraseContact', { id: USER });
  await stage.erase();
};
const TRACE = queuedSend().traceparent;
const LATER = '2026-11-20T13:00:00.000Z';

describe('an uncertain send', () => {
  it('resolved as accepted becomes a message of the conversation, and repeating that changes nothing', async () => {
    await putSendInState(stage.sends, 'uncertain');
    const body = { outcome: 'accepted', messageId: 'out-1', note: 'seen in the console, to +5491155550000' };
    const first = await resolve(body);
    const items = await stage.items();
    stage.setNow(LATER);
    const repeated = await resolve(body);

    expect(first.body).toMatchObject({ state: 'accepted', messageId: 'out-1', acceptedAt: NOW });
    expect(first.body).not.toHaveProperty('uncertainAt');
    expect(items['MESSAGE#out-1 MESSAGE']).toMatchObject({
      direction: 'outbound',
      requestId: 'request-1',
      call: claim().call,
    });
    expect(items['SEND#request-1 SEND']).toMatchObject({
      decision: claim().decision,
      outcome: 'An operator resolved it as accepted.',
      outcomeDetails: 'seen in the console, to ***00',
    });
    expect(items['SEND#request-1 SEND']).not.toHaveProperty('stateShard');
    expect(items['SEND#request-1 SEND']).not.toHaveProperty('stateAt');
    expect([repeated, await stage.items()]).toEqual([first, items]);
  });

  it('resolved as accepted again completes the conversation that a dead function left incomplete', async () => {
    const { requestId } = (await putSendInState(stage.sends, 'uncertain')).request;
    const send = await stage.sends.read(requestId);
    if (!send) throw new Error('The send is missing.');
    await stage.sends.resolve(send, { outcome: 'accepted', messageId: 'out-1', at: NOW, why: 'x' });
    expect(await stage.item('MESSAGE#out-1 MESSAGE')).toBeUndefined();

    expect(await resolve({ outcome: 'accepted', messageId: 'out-1' })).toMatchObject({ status: 200 });
    expect(await stage.item('MESSAGE#out-1 MESSAGE')).toMatchObject({ requestId: 'request-1' });
  });

  it("resolved as accepted with the ID of another contact's message is reported, and leaves that message as it is", async () => {
    await putSendInState(stage.sends, 'uncertain');
    await stage.receive(wireMessage({ _id_: 'in-1', FROM: '+5491155559999', CUSTOMER_ID: 'juan' }));
    const before = await stage.item('MESSAGE#in-1 MESSAGE');
    expect(await resolve({ outcome: 'accepted', messageId: 'in-1' })).toMatchObject({ status: 200 });
    expect(await stage.item('MESSAGE#in-1 MESSAGE')).toEqual(before);
    expect(stage.counted).toEqual(['MessageNotRecorded']);
  });

  it('resolved as accepted by a call that is slower than an erasure leaves nothing of the contact', async () => {
    await putSendInState(stage.sends, 'uncertain');
    beforeFirstResolution(erase);
    await resolve({ outcome: 'accepted', messageId: 'out-1' });

    expect(await stage.item('MESSAGE#out-1 MESSAGE')).toBeUndefined();
    expect(await stage.sendItem()).toMatchObject({ state: 'accepted', messageId: 'out-1', body: '', erasedAt: NOW });
  });

  it.each([
    { outcome: 'failed', state: 'rejected' },
    { outcome: 'accepted', messageId: 'out-1', state: 'accepted' },
  ])('of an erased contact is resolved as $outcome without the note, every time', async ({ state, ...body }) => {
    await putSendInState(stage.sends, 'uncertain');
    await erase();
    const resolved = await resolve({ ...body, note: 'no parcel for Ana' });

    expect(resolved).toMatchObject({ status: 200, body: { state } });
    expect(await resolve({ ...body, note: 'no parcel for Ana' })).toEqual(resolved);
    expect(JSON.stringify(await stage.items())).not.toContain('Ana');
  });

  it.each([
    { outcome: 'failed', state: 'rejected' },
    { outcome: 'accepted', messageId: 'out-1', state: 'accepted' },
  ])('whose contact is erased during its resolution as $outcome keeps no note', async ({ state, ...body }) => {
    await putSendInState(stage.sends, 'uncertain');
    beforeFirstResolution(erase);

    expect(await resolve({ ...body, note: 'no parcel for Ana' })).toMatchObject({ status: 200 });

    expect(await stage.sendItem()).toMatchObject({ state, erasedAt: NOW });
    expect(await stage.sendItem()).not.toHaveProperty('outcomeDetails');
  });

  it('resolved twice at the same time gets the same answer twice', async () => {
    const body = { outcome: 'accepted', messageId: 'out-1' };
    let concurrent: ReturnType<typeof resolve> | undefined;
    const tableClient = createClientWithHooks(tables, {
      async before(command) {
        if (command !== 'UpdateItem' || concurrent !== undefined || !isStored) return;
        concurrent = resolve(body);
        await concurrent;
      },
    });
    let isStored = false;
    stage = await createManagedStage({ ...tables, tableClient });
    await putSendInState(stage.sends, 'uncertain');
    isStored = true;

    expect(await resolve(body)).toEqual(await concurrent);
    expect(await concurrent).toMatchObject({ status: 200, body: { state: 'accepted', messageId: 'out-1' } });
  });

  it('resolved as accepted with one message is not resolved with another', async () => {
    await putSendInState(stage.sends, 'uncertain');
    await resolve({ outcome: 'accepted', messageId: 'out-1' });
    expect(await resolve({ outcome: 'accepted', messageId: 'out-2' })).toMatchObject({ status: 409 });
    expect(await stage.item('MESSAGE#out-2 MESSAGE')).toBeUndefined();
  });

  it('resolved as failed becomes rejected by an operator, and repeating that changes nothing', async () => {
    await putSendInState(stage.sends, 'uncertain');
    const first = await resolve({ outcome: 'failed' });
    stage.setNow(LATER);

    expect(first.body).toMatchObject({
      state: 'rejected',
      rejectedAt: NOW,
      decision: claim().decision,
      outcome: 'An operator resolved it as failed.',
    });
    expect(await resolve({ outcome: 'failed' })).toEqual(first);
  });

  it('is resolved once when two operators name different messages at the same time', async () => {
    await putSendInState(stage.sends, 'uncertain');
    const answers = await Promise.all(
      ['out-1', 'out-2'].map((messageId) => resolve({ outcome: 'accepted', messageId })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const messages = Object.keys(await stage.items()).filter((key) => key.startsWith('MESSAGE#'));
    expect(messages).toEqual([`MESSAGE#${(await stage.sendItem())?.messageId} MESSAGE`]);
  });
});

describe('a send that another operator has just resolved as failed', () => {
  it('is resent, and its unknown outcome is counted once', async () => {
    await putSendInState(stage.sends, 'uncertain');
    beforeFirstResolution(() => resolve({ outcome: 'failed' }));

    expect(await resolve({ outcome: 'resend' })).toMatchObject({ status: 200, body: { state: 'waiting' } });
    expect(await stage.sendItem()).toMatchObject({ state: 'waiting', unknownOutcomes: 1 });
  });
});

describe('a send whose next call was rejected while an operator resent the one before', () => {
  it('is not resent again, because the operator did not decide about that call', async () => {
    const queued = await putSendInState(stage.sends, 'uncertain');
    const next = claim({ claimId: 'next-claim' });
    const rejected = { state: 'rejected', at: NOW, outcome: 'HTTP 400' } as const;
    beforeFirstResolution(async () => {
      await resolve({ outcome: 'resend', enqueue: false });
      await stage.sends.claim(queued, next, { resend: false });
      await stage.sends.recordResult('request-1', next.claimId, rejected);
    });

    expect(await resolve({ outcome: 'resend' })).toMatchObject({ status: 409, body: { code: 'NOT_RESOLVABLE' } });
    expect(await stage.sendItem()).toMatchObject({ state: 'rejected', claimId: next.claimId });
  });
});

describe.each(['uncertain', 'rejected'] as const)('a send that is %s', (state) => {
  it('can be resent: it waits, and its request is queued', async () => {
    const { body } = await putSendInState(stage.sends, state);
    const answer = await resolve({ outcome: 'resend' });

    expect(answer.body).toMatchObject({ state: 'waiting', waitingAt: NOW });
    expect(stage.queued).toEqual([{ body, groupId: USER, deduplicationId: 'id-1', traceparent: TRACE }]);
    expect(await stage.sends.claim(queuedSend(), claim({ claimId: 'again' }), { resend: false })).toMatchObject({
      kind: 'claimed',
      attempt: 2,
    });
  });

  it('is queued by the caller when it says so', async () => {
    await putSendInState(stage.sends, state);
    expect(await resolve({ outcome: 'resend', enqueue: false })).toMatchObject({ body: { state: 'waiting' } });
    expect(stage.queued).toEqual([]);
  });

  it('is queued again when its resend is repeated, because the first message may be lost', async () => {
    const { body } = await putSendInState(stage.sends, state);
    const first = await resolve({ outcome: 'resend' });
    expect(await resolve({ outcome: 'resend' })).toEqual(first);
    expect(stage.queued).toEqual([
      { body, groupId: USER, deduplicationId: 'id-1', traceparent: TRACE },
      { body, groupId: USER, deduplicationId: 'id-2', traceparent: TRACE },
    ]);
  });
});

describe('a rejected send', () => {
  const reject = () => resolve({ outcome: 'failed', note: 'not in the console' });

  it('can be resolved as failed again in the same words if an operator rejected it', async () => {
    await putSendInState(stage.sends, 'uncertain');
    const first = await reject();
    const before = await stage.items();
    expect([await reject(), await stage.items()]).toEqual([first, before]);
  });

  it('is not resolved as failed for another reason, which would be lost', async () => {
    await putSendInState(stage.sends, 'uncertain');
    await reject();
    expect(await resolve({ outcome: 'failed', note: 'the user says so' })).toMatchObject({ status: 409 });
  });

  it('is not resolved as failed if the chat service rejected it', async () => {
    await putSendInState(stage.sends, 'rejected');
    const before = await stage.items();
    expect(await reject()).toMatchObject({ status: 409, body: { code: 'NOT_RESOLVABLE' } });
    expect(await stage.items()).toEqual(before);
  });
});

describe('a send', () => {
  it('is not resolved while a function has claimed it', async () => {
    await putSendInState(stage.sends, 'claimed');
    expect(await resolve({ outcome: 'resend' })).toEqual({
      status: 409,
      body: {
        code: 'NOT_RESOLVABLE',
        message: 'The send request-1 is claimed; only a send that is uncertain or rejected can be resolved as resend.',
      },
    });
    expect(stage.queued).toEqual([]);
  });

  it.each(['queued', 'scheduled', 'refused', 'expired', 'accepted', 'cancelled', 'failed'] as const)(
    'is not resolved once it is %s',
    async (state) => {
      await putSendInState(stage.sends, state);
      const before = await stage.items();
      for (const body of [{ outcome: 'failed' }, { outcome: 'resend' }, { outcome: 'accepted', messageId: 'x' }]) {
        expect(await resolve(body)).toMatchObject({ status: 409, body: { code: 'NOT_RESOLVABLE' } });
      }
      expect([await stage.items(), stage.queued]).toEqual([before, []]);
    },
  );

  it.each([
    [{ requestId: 'request-1', outcome: 'lost' }, 400],
    [{ requestId: 'request-1', outcome: 'accepted' }, 400],
    [{ requestId: 'request-1', outcome: 'failed', messageId: 'x' }, 400],
    [{ requestId: 'unknown', outcome: 'failed' }, 404],
  ])('with the resolution %j is %i', async (body, status) => {
    expect(await resolve(body)).toMatchObject({ status });
  });
});
