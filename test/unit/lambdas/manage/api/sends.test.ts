import { beforeEach, describe, expect, it } from 'vitest';
import { startTrace, traceIdOf } from '../../../../../lambdas/domain/trace-context.ts';
import { sendListResponse } from '../../../../../lambdas/manage/api/send-lists.ts';
import {
  claim,
  NOW,
  queuedSend,
  sendRequest,
  sendResult,
  TRACE_ID,
  TRACEPARENT,
  USER,
  wireMessage,
} from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createSendHarness } from '../../send/send-harness.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

/** The trace that starts with the request. */
const TRACE = startTrace('send', 'request-1');

const enqueue = (body: unknown = sendRequest()) => stage.call('enqueueSend', { body });

describe('a request that is enqueued', () => {
  it('is put on the queue in the message group of the contact, and is known from then on', async () => {
    expect(await enqueue()).toEqual({
      status: 202,
      body: { requestId: 'request-1', state: 'queued', traceId: traceIdOf(TRACE) },
    });
    expect(stage.queued).toEqual([
      { body: JSON.stringify(sendRequest()), groupId: USER, deduplicationId: 'request-1', traceparent: TRACE },
    ]);
    expect(await stage.call('getSend', { id: 'request-1' })).toEqual({
      status: 200,
      body: {
        requestId: 'request-1',
        state: 'queued',
        queuedAt: NOW,
        traceId: traceIdOf(TRACE),
        attempts: 0,
        unknownOutcomes: 0,
        request: sendRequest(),
      },
    });
  });

  it('is put in the message group of the customer that it names', async () => {
    const body = { requestId: 'request-1', customerId: 'customer-1', messageText: 'Hi' };
    expect(await enqueue(body)).toMatchObject({ status: 202 });
    expect(stage.queued).toMatchObject([{ body: JSON.stringify(body), groupId: 'customer-1' }]);
    expect(await stage.call('cancelSend', { body: { requestId: 'request-1' } })).toMatchObject({
      status: 200,
      body: { state: 'cancelled' },
    });
  });

  it('is forecast for the address that would be chosen for a customer', async () => {
    const body = { requestId: 'request-1', customerId: 'customer-1', messageText: 'Hi' };
    const dryRun = async () => (await stage.call('enqueueSend', { body, query: { dryRun: 'true' } })).body;
    expect(await dryRun()).toMatchObject({ decision: 'refused', code: 'CUSTOMER_UNKNOWN', known: false });
    await stage.receive(wireMessage());
    expect(await dryRun()).toMatchObject({ decision: 'free-form', known: true });
  });

  it('is the same request to the function that consumes the queue', async () => {
    await enqueue();
    const harness = await createSendHarness(tables, { tableName: stage.tableName });
    await harness.openWindow(USER);
    const [message] = stage.queued;
    expect(await harness.startFunction().receive(message?.body ?? '')).toEqual({ kind: 'done' });
    expect(await stage.sendItem()).toMatchObject({ state: 'accepted', attempts: 1, queuedAt: NOW });
  });

  it('prevents a request with the same id and another body from being sent when the queue delivers one', async () => {
    await enqueue();
    const harness = await createSendHarness(tables, { tableName: stage.tableName });
    await harness.openWindow(USER);
    const other = JSON.stringify(sendRequest({ messageText: 'Another text' }));
    const sender = harness.startFunction();

    expect(await sender.receive(other)).toEqual({ kind: 'done' });
    expect([harness.calls, harness.deadLetters]).toEqual([[], [expect.stringContaining('REQUEST_ID_REUSED')]]);
    expect(await stage.sendItem()).toMatchObject({ state: 'queued', body: JSON.stringify(sendRequest()) });
    await sender.receive(stage.queued[0]?.body ?? '');
    expect(harness.calls).toMatchObject([{ body: { messageText: sendRequest().messageText } }]);
  });

  it('is queued again however its JSON is formatted, and returns 409 with another body, even before it is processed', async () => {
    const { requestId, platformContactId, messageText } = sendRequest();
    await enqueue();
    const again = await enqueue(
      `{ "messageText": "${messageText}", "requestId":"${requestId}",\n"platformContactId":"${platformContactId}"}`,
    );
    const other = await enqueue(sendRequest({ messageText: 'Another' }));

    expect(again.status).toBe(202);
    expect(other).toMatchObject({ status: 409, body: { code: 'REQUEST_ID_REUSED' } });
    expect(stage.queued).toHaveLength(2);
    expect(new Set(stage.queued.map(({ body }) => body)).size).toBe(1);
  });

  it.each(['queued', 'scheduled', 'claimed', 'waiting'] as const)(
    'again while it is %s is answered with its state, and queued again in case the message was lost',
    async (state) => {
      const { body } = await putSendInState(stage.sends, state);
      expect(await enqueue()).toEqual({
        status: 202,
        body: { requestId: 'request-1', state, traceId: traceIdOf(TRACE) },
      });
      expect(stage.queued).toEqual([{ body, groupId: USER, deduplicationId: 'request-1', traceparent: TRACE }]);
      expect(await stage.sendItem()).toMatchObject({ state });
    },
  );

  it.each(['accepted', 'refused', 'rejected', 'expired', 'uncertain', 'cancelled', 'failed'] as const)(
    'again once it is %s is answered with its state, and not queued',
    async (state) => {
      await putSendInState(stage.sends, state);
      const before = await stage.items();
      expect(await enqueue()).toEqual({
        status: 202,
        body: { requestId: 'request-1', state, traceId: traceIdOf(TRACE) },
      });
      expect(stage.queued).toEqual([]);
      expect(await stage.items()).toEqual(before);
    },
  );

  it.each([
    ['{', 'the body: is not JSON.'],
    [{}, 'requestId: is missing'],
    [sendRequest({ messageText: undefined }), 'has nothing to send'],
    [{ ...sendRequest(), text: 'x' }, 'has the unknown field text'],
  ])('as %j is 400, as it would be malformed on the queue', async (body, sentence) => {
    expect(await enqueue(body)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining(sentence) },
    });
    expect([await stage.items(), stage.queued]).toEqual([{}, []]);
  });

  it('has a message group even when SQS does not accept its contact id as one', async () => {
    await enqueue(sendRequest({ platformContactId: "Zoë's chat" }));
    expect(stage.queued[0]?.groupId).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a request that is enqueued in a trace', () => {
  const inTrace = (traceparent: string) => stage.call('enqueueSend', { body: sendRequest(), traceparent });

  it('is queued and shown in it', async () => {
    expect(await inTrace(TRACEPARENT)).toMatchObject({ status: 202, body: { traceId: TRACE_ID } });
    expect(stage.queued).toMatchObject([{ traceparent: TRACEPARENT }]);
    expect((await stage.call('getSend', { id: 'request-1' })).body).toMatchObject({ traceId: TRACE_ID });
  });

  it('stays in the first one when it is enqueued again in another', async () => {
    await inTrace(TRACEPARENT);
    expect(await inTrace(TRACE)).toMatchObject({ status: 202, body: { state: 'queued', traceId: TRACE_ID } });
    expect(stage.queued).toMatchObject([{ traceparent: TRACEPARENT }, { traceparent: TRACEPARENT }]);
  });

  it('has its ID in the path as well as in the body', async () => {
    const { requestId: id, ...body } = sendRequest();
    const answer = await stage.call('enqueueSendById', { id, body, traceparent: TRACEPARENT });
    expect(answer).toMatchObject({ body: { traceId: TRACE_ID } });
  });

  it('is resent in it', async () => {
    await stage.sends.claim({ ...queuedSend(), traceparent: TRACEPARENT }, claim(), { resend: false });
    await stage.sends.recordResult('request-1', 'claim-1', sendResult('uncertain'));
    await stage.call('resolveSend', { body: { requestId: 'request-1', outcome: 'resend' } });
    expect(stage.queued).toMatchObject([{ traceparent: TRACEPARENT }]);
  });
});

describe('a send', () => {
  const recordStatus = (status: 'delivered' | 'answered', at: string) =>
    stage.messages.recordStatus({
      kind: 'status',
      id: 'message-request-1',
      status,
      literal: status,
      time: { at, source: 'event' },
      body: '{}',
      traceparent: TRACEPARENT,
    });

  it('is shown with the request, the endpoint, and the statuses of its message, and without internal fields', async () => {
    await putSendInState(stage.sends, 'accepted');
    await recordStatus('delivered', '2026-11-20T12:00:05.000Z');
    await recordStatus('answered', '2026-11-20T12:00:09.000Z');
    expect((await stage.call('getSend', { id: 'request-1' })).body).toEqual({
      requestId: 'request-1',
      state: 'accepted',
      decision: claim().decision,
      outcome: 'The chat service accepted it.',
      request: sendRequest(),
      endpoint: 'message/v3',
      messageId: 'message-request-1',
      traceId: traceIdOf(TRACE),
      attempts: 1,
      unknownOutcomes: 0,
      claimedAt: NOW,
      acceptedAt: NOW,
      deliveredAt: '2026-11-20T12:00:05.000Z',
      answeredAt: '2026-11-20T12:00:09.000Z',
    });
  });

  it('whose message failed shows the code, the reason, and the time, even without the message', async () => {
    await putSendInState(stage.sends, 'failed');
    expect((await stage.call('getSend', { id: 'request-1' })).body).toMatchObject({
      state: 'failed',
      code: '131026',
      outcome: 'The chat service accepted it, and the message failed, code 131026.',
      outcomeDetails: 'cannot receive',
      acceptedAt: NOW,
      failedAt: NOW,
    });
  });

  it('shows how many of its calls have an unknown outcome, including the latest one', async () => {
    const shown = async () => (await stage.call('getSend', { id: 'request-1' })).body;
    await putSendInState(stage.sends, 'uncertain');
    expect(await shown()).toMatchObject({ state: 'uncertain', attempts: 1, unknownOutcomes: 1 });
    await stage.sends.claim(queuedSend(), claim({ claimId: 'again' }), { resend: true });
    await stage.sends.recordResult('request-1', 'again', sendResult('accepted'));
    expect(await shown()).toMatchObject({ state: 'accepted', attempts: 2, unknownOutcomes: 1 });
    expect(await shown()).not.toHaveProperty('unknownCall');
  });

  it('that was refused because it could not be processed is queued again', async () => {
    const send = { ...queuedSend(), body: JSON.stringify(sendRequest()) };
    const failed = {
      state: 'refused' as const,
      at: NOW,
      code: 'PROCESSING_FAILED' as const,
      decision: 'It has failed.',
    };
    await stage.sends.recordWithoutCall(send, failed);
    await enqueue();
    expect(stage.queued).toHaveLength(1);
  });

  it('that is scheduled is shown with its time', async () => {
    await putSendInState(stage.sends, 'scheduled');
    expect((await stage.call('getSend', { id: 'request-1' })).body).toMatchObject({
      state: 'scheduled',
      sendAt: '2026-11-21T12:00:00.000Z',
      request: sendRequest(),
    });
  });

  it('returns 404 if it does not exist', async () => {
    expect(await stage.call('getSend', { id: 'unknown' })).toMatchObject({
      status: 404,
      body: { code: 'SEND_NOT_FOUND' },
    });
  });
});

describe('the list of uncertain sends', () => {
  const list = async (limit: number) => {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: String(limit), ...(cursor !== undefined && { cursor }) };
      const page = sendListResponse.parse((await stage.call('listUncertainSends', { query })).body);
      pages.push(page.sends.map(({ requestId }) => requestId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return pages;
  };

  it('contains them until they are resolved, oldest first, page by page', async () => {
    for (let index = 0; index < 9; index += 1) {
      const at = `2026-11-20T12:00:0${8 - index}.000Z`;
      await putSendInState(stage.sends, 'uncertain', { requestId: `r-${index}`, at });
    }
    await putSendInState(stage.sends, 'rejected', { requestId: 'rejected' });
    await stage.call('resolveSend', { body: { requestId: 'r-4', outcome: 'failed' } });

    const pages = await list(3);

    expect(pages.flat()).toEqual(['r-8', 'r-7', 'r-6', 'r-5', 'r-3', 'r-2', 'r-1', 'r-0']);
    expect(pages.every((page) => page.length <= 3)).toBe(true);
  });
});
