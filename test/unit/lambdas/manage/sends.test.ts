import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { uncertainResponse } from '../../../../lambdas/manage/responses.ts';
import { NOW, sendRequest, USER } from '../../../support/builders.ts';
import { type EmulatedTables, startEmulatedTables } from '../aws/emulated-table.ts';
import { createManagedStage, type ManagedStage } from './managed-stage.ts';

let tables: EmulatedTables;
let stage: ManagedStage;
beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const CALL = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };

const queuedSend = (requestId: string) => {
  const request = sendRequest({ requestId });
  const contact = contactRef('chat', USER);
  return { request, body: JSON.stringify(request), contact, groupId: USER, deduplicationId: requestId };
};

/** A send that was claimed and ended so, as the function `send` does it. */
const sendIn = async (state: 'uncertain' | 'rejected' | 'claimed', requestId = 'request-1', at = NOW) => {
  const claim = {
    claimId: `claim-${requestId}`,
    claimedAt: at,
    leaseUntil: '2026-11-20T12:03:00.000Z',
    call: CALL,
    why: 'x',
  };
  await stage.sendStore.claim(queuedSend(requestId), claim, { uncertainToo: false });
  if (state !== 'claimed') await stage.sendStore.conclude(requestId, claim.claimId, { state, at, why: 'HTTP 502' });
};

describe('a request that is enqueued', () => {
  it('is put on the queue with its contact for a group, and known from then on', async () => {
    const answer = await stage.enqueueSend({ body: sendRequest() });

    expect(answer).toEqual({ status: 202, body: { requestId: 'request-1', state: 'queued' } });
    expect(stage.queued).toEqual([
      { body: JSON.stringify(sendRequest()), groupId: USER, deduplicationId: 'request-1' },
    ]);
    expect((await stage.getSend({ id: 'request-1' })).body).toMatchObject({ state: 'queued', queuedAt: NOW });
  });

  it('is still claimed by the queue’s consumer, and is the same request to it', async () => {
    await stage.enqueueSend({ body: sendRequest() });
    const send = { ...queuedSend('request-1'), body: stage.queued[0]?.body ?? '' };
    const claim = { claimId: 'c', claimedAt: NOW, leaseUntil: NOW, call: CALL, why: 'x' };
    expect(await stage.sendStore.claim(send, claim, { uncertainToo: false })).toEqual({ kind: 'claimed', attempt: 1 });
  });

  it('again, however its JSON is written, is queued again; with another body it is 409, before anybody has taken it up', async () => {
    const { requestId, platformContactId, messageText } = sendRequest();
    await stage.enqueueSend({ body: sendRequest() });
    const again = await stage.enqueueSend({
      body: `{ "messageText": "${messageText}", "requestId":"${requestId}",\n"platformContactId":"${platformContactId}"}`,
    });
    const other = await stage.enqueueSend({ body: sendRequest({ messageText: 'Another' }) });

    expect(again.status).toBe(202);
    expect(other).toMatchObject({ status: 409, body: { code: 'REQUEST_ID_REUSED' } });
    expect(new Set(stage.queued.map(({ body }) => body)).size).toBe(1);
  });

  it('when it has ended is answered with its state, and not queued', async () => {
    await sendIn('rejected');
    expect(await stage.enqueueSend({ body: sendRequest() })).toEqual({
      status: 202,
      body: { requestId: 'request-1', state: 'rejected' },
    });
    expect(stage.queued).toEqual([]);
  });

  it.each([
    ['{', 'The body is not JSON.'],
    [{}, 'requestId: is missing'],
    [sendRequest({ messageText: undefined }), 'needs something to send'],
    [{ ...sendRequest(), text: 'x' }, 'nrecognized key'],
  ])('as %j is 400, as the queue’s consumer would call it malformed', async (body, sentence) => {
    expect(await stage.enqueueSend({ body })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining(sentence) },
    });
    expect(await stage.items()).toEqual({});
  });

  it('for an id that SQS takes for no group still has one of its own', async () => {
    await stage.enqueueSend({ body: sendRequest({ platformContactId: 'Zoë’s chat' }) });
    expect(stage.queued[0]?.groupId).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('an uncertain send', () => {
  it('is listed until it is settled, oldest first, page by page', async () => {
    for (let index = 0; index < 9; index += 1)
      await sendIn('uncertain', `r-${index}`, `2026-11-20T12:00:0${8 - index}.000Z`);
    await sendIn('rejected', 'rejected');
    await stage.settleSend({ body: { requestId: 'r-4', outcome: 'failed' } });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: '3', ...(cursor !== undefined && { cursor }) };
      const page = uncertainResponse.parse((await stage.listUncertain({ query })).body);
      seen.push(...page.sends.map(({ requestId }) => requestId));
      cursor = page.cursor;
    } while (cursor !== undefined);

    expect(seen).toEqual(['r-8', 'r-7', 'r-6', 'r-5', 'r-3', 'r-2', 'r-1', 'r-0']);
  });

  it('settled as accepted is a message of the conversation; again it is the same', async () => {
    await sendIn('uncertain');
    const body = { requestId: 'request-1', outcome: 'accepted', messageId: 'out-1', note: 'seen in the console' };
    const first = await stage.settleSend({ body });
    const items = await stage.items();
    const again = await stage.settleSend({ body });

    expect(first.body).toMatchObject({ state: 'accepted', messageId: 'out-1', acceptedAt: NOW });
    expect(items['MESSAGE#out-1 MESSAGE']).toMatchObject({ direction: 'outbound', requestId: 'request-1', text: 'Hi' });
    expect(items['SEND#request-1 SEND']).not.toHaveProperty('unsettled');
    expect([again, await stage.items()]).toEqual([first, items]);
  });

  it('settled as failed is rejected, and says by whom', async () => {
    await sendIn('uncertain');
    expect((await stage.settleSend({ body: { requestId: 'request-1', outcome: 'failed' } })).body).toMatchObject({
      state: 'rejected',
      why: 'Settled by an operator: failed.',
    });
  });

  it.each(['uncertain', 'rejected'] as const)(
    'or one that is %s can be sent again: it waits, and is queued',
    async (state) => {
      await sendIn(state);
      const answer = await stage.settleSend({ body: { requestId: 'request-1', outcome: 'resend' } });

      expect(answer.body).toMatchObject({ state: 'waiting' });
      const { body } = queuedSend('request-1');
      expect(stage.queued).toEqual([{ body, groupId: USER, deduplicationId: 'id-1' }]);
      const claim = { claimId: 'again', claimedAt: NOW, leaseUntil: NOW, call: CALL, why: 'x' };
      expect(await stage.sendStore.claim(queuedSend('request-1'), claim, { uncertainToo: false })).toMatchObject({
        kind: 'claimed',
        attempt: 2,
      });
    },
  );

  it('is not settled while a function has it, nor once it has ended otherwise', async () => {
    await sendIn('claimed');
    expect(await stage.settleSend({ body: { requestId: 'request-1', outcome: 'resend' } })).toEqual({
      status: 409,
      body: {
        code: 'NOT_SETTLEABLE',
        message: 'The send request-1 is claimed; resend settles only one that is uncertain or rejected.',
      },
    });
    expect(stage.queued).toEqual([]);
  });

  it.each([
    [{ requestId: 'request-1', outcome: 'lost' }, 400],
    [{ requestId: 'request-1', outcome: 'accepted' }, 400],
    [{ requestId: 'request-1', outcome: 'failed', messageId: 'x' }, 400],
    [{ requestId: 'nope', outcome: 'failed' }, 404],
  ])('%j is %i', async (body, status) => {
    expect(await stage.settleSend({ body })).toMatchObject({ status });
  });
});

describe('a scheduled send', () => {
  const schedule = () =>
    stage.scheduledStore.schedule(queuedSend('request-1'), { at: NOW, sendAt: '2026-11-21T12:00:00.000Z' });

  it('is told with its time', async () => {
    await schedule();
    expect((await stage.getSend({ id: 'request-1' })).body).toMatchObject({
      state: 'scheduled',
      sendAt: '2026-11-21T12:00:00.000Z',
      request: sendRequest(),
    });
  });

  it('is cancelled, also twice, and its alarm is taken back', async () => {
    await schedule();
    const cancel = () => stage.cancelSend({ body: { requestId: 'request-1' } });
    const cancelled = { status: 200, body: { requestId: 'request-1', state: 'cancelled', cancelledAt: NOW } };
    expect([await cancel(), await cancel()]).toMatchObject([cancelled, cancelled]);
    expect(stage.removedAlarms).toContain('request-1');
  });

  it('is not cancelled once it is under way, nor before it was taken from the queue, nor when there is none', async () => {
    await sendIn('claimed');
    await stage.enqueueSend({ body: sendRequest({ requestId: 'queued' }) });
    const cancel = (requestId: string) => stage.cancelSend({ body: { requestId } });

    expect(await cancel('request-1')).toEqual({
      status: 409,
      body: {
        code: 'NOT_CANCELLABLE',
        message: 'The send request-1 is claimed; only a scheduled one can be cancelled.',
      },
    });
    expect(await cancel('queued')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('in a moment') },
    });
    expect(await cancel('nope')).toMatchObject({ status: 404 });
  });
});
