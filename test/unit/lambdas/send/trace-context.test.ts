import { beforeEach, describe, expect, it } from 'vitest';
import { serializeDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { startTrace, traceIdOf } from '../../../../lambdas/domain/trace-context.ts';
import { NOW, sendRequest, TRACE_ID, TRACEPARENT, USER, wireStatus } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { repositoriesOf } from '../adapters/dynamodb/repositories.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
let tableName: string;
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  tableName = await tables.createTable();
  harness = await createSendHarness(tables, { tableName });
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

const BODY = JSON.stringify(sendRequest());
const OTHER = startTrace('send', 'another');
const receive = (traceparent?: string, body = BODY) => sender.receive(body, {}, traceparent ? { traceparent } : {});
const loggedTraces = () => [...new Set(harness.logged.map(([, , { traceId }]) => traceId))];

describe('the trace of a request', () => {
  it('is in the send, the call, the message, and every log line, and the call has a span of its own', async () => {
    await receive(TRACEPARENT);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', traceparent: TRACEPARENT });
    expect(await harness.item('MESSAGE#message-out MESSAGE')).toMatchObject({ traceparent: TRACEPARENT });
    expect(harness.callTraces).toEqual([expect.stringMatching(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`))]);
    expect(harness.callTraces).not.toEqual([TRACEPARENT]);
    expect(loggedTraces()).toEqual([TRACE_ID]);
  });

  it('starts with the request if the message names none or an invalid one', async () => {
    await receive('trace-1');
    await receive(undefined, JSON.stringify(sendRequest({ requestId: 'request-2' })));
    expect(await harness.sendItem()).toMatchObject({ traceparent: startTrace('send', 'request-1') });
    expect(await harness.sendItem('request-2')).toMatchObject({ traceparent: startTrace('send', 'request-2') });
  });

  it('stays that of its first message when the request is received again in another, in its log lines too', async () => {
    harness.answers = [ANSWERS.unavailable()];
    await receive(TRACEPARENT);
    harness.advance(600);
    await receive(OTHER);
    await receive(OTHER);
    expect(harness.calls).toHaveLength(2);
    expect(harness.callTraces.map((trace) => trace && traceIdOf(trace))).toEqual([TRACE_ID, TRACE_ID]);
    expect(new Set(harness.callTraces).size).toBe(2);
    expect(await harness.item('MESSAGE#message-out MESSAGE')).toMatchObject({ traceparent: TRACEPARENT });
    expect(harness.logged.map(([, message]) => message)).toEqual([
      'send waiting',
      'send accepted',
      'duplicate request ignored',
    ]);
    expect(loggedTraces()).toEqual([TRACE_ID]);
  });

  it('is that of the stored request when a schedule becomes due', async () => {
    const sendAt = '2026-11-20T13:00:00.000Z';
    await receive(TRACEPARENT, JSON.stringify(sendRequest({ sendAt })));
    harness.setNow(sendAt);
    await sender.receive(serializeDueMessage('request-1'));
    expect(harness.callTraces.map((trace) => trace && traceIdOf(trace))).toEqual([TRACE_ID]);
    expect(loggedTraces()).toEqual([TRACE_ID]);
  });

  it('is that of the stored request when it is refused without a call once it becomes due', async () => {
    const sendAt = '2026-11-22T13:00:00.000Z';
    await receive(TRACEPARENT, JSON.stringify(sendRequest({ sendAt })));
    harness.setNow(sendAt);
    await sender.receive(serializeDueMessage('request-1'));
    expect(harness.logged.map(([, message]) => message)).toEqual(['send scheduled', 'send refused']);
    expect(loggedTraces()).toEqual([TRACE_ID]);
  });

  it('is that of the status which confirms it', async () => {
    harness.answers = [ANSWERS.unknown];
    await receive(TRACEPARENT);
    const { storeEvent } = repositoriesOf(tables.tableOf(tableName));
    const status = wireStatus({ _id_: 'message-7', CLIENT_PAYLOAD: 'request-1' });
    await storeEvent({ rawBody: Buffer.from(JSON.stringify(status)), receivedAt: NOW, traceparent: OTHER });
    expect(await harness.item('MESSAGE#message-7 MESSAGE')).toMatchObject({ traceparent: TRACEPARENT });
  });

  it('goes with a dead letter', async () => {
    await receive(TRACEPARENT, '{}');
    await receive(undefined, '{}');
    await receive(TRACEPARENT);
    await receive(OTHER, JSON.stringify(sendRequest({ messageText: 'another' })));
    expect(harness.deadLetterTraces).toEqual([TRACEPARENT, undefined, OTHER]);
    expect(harness.logged[0]).toMatchObject(['warn', 'malformed request', { traceId: TRACE_ID }]);
  });

  it('is erased with the contact', async () => {
    await receive(TRACEPARENT, JSON.stringify(sendRequest({ notAfter: '2026-11-20T11:00:00.000Z' })));
    expect(await harness.sendItem()).toMatchObject({ state: 'expired', traceparent: TRACEPARENT });
    await harness.erase('request-1');
    expect(await harness.sendItem()).toMatchObject({ erasedAt: harness.now() });
    expect(JSON.stringify(await harness.sendItem())).not.toContain(TRACE_ID);
  });
});
