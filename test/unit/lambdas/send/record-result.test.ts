import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { startTrace, traceIdOf } from '../../../../lambdas/domain/trace-context.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { reportResult } from '../../../../lambdas/send/record-result.ts';
import { sendKey } from '../../../../lambdas/table/keys.ts';
import { NOW, queuedSend, sendRequest, sendResult, USER } from '../../../support/builders.ts';
import { recordingMetrics, silentLog } from '../../../support/telemetry.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, INVOCATION_MS, type RunningSend, type SendHarness } from './send-harness.ts';

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

describe('the log of a result', () => {
  it("does not contain the chat service's message, which can quote the request", () => {
    const logged: unknown[] = [];
    const log = { ...silentLog, info: (...parameters: unknown[]) => void logged.push(parameters) };
    reportResult({ log, metrics: recordingMetrics() }, queuedSend(), {
      state: 'rejected',
      at: NOW,
      outcome: 'HTTP 400, code 304',
      outcomeDetails: `Invalid: ${USER}`,
    });

    const traceId = traceIdOf(startTrace('send', 'request-1'));
    expect(logged).toEqual([['send rejected', { requestId: 'request-1', traceId, why: 'HTTP 400, code 304' }]]);
  });
});

describe('a send', () => {
  it('that is rejected is recorded and counted with the reason, and not put on the dead-letter queue', async () => {
    harness.answers = [ANSWERS.invalidChannel];
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.deadLetters).toEqual([]);
    expect(harness.counted).toEqual(['SendRejected']);
    expect(await harness.sendItem()).toMatchObject({
      state: 'rejected',
      outcome: 'HTTP 200, code 304',
      outcomeDetails: 'Invalid channel',
    });
  });

  it.each([
    [{ id: 'm-1', requestId: 'job-1' }, 'The chat service accepted it with the id m-1.'],
    [{ webhookNotificationId: 'job-1' }, 'The chat service accepted it as a job, with the id job-1.'],
    [{ requestId: 'job-1', txId: 'job-2' }, 'The chat service accepted it as a job, with the id job-1 and job-2.'],
  ])('that is accepted says with which ids: %j', async (body, outcome) => {
    harness.answers = [{ kind: 'answered', httpStatus: 202, body }];
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', outcome });
  });

  it('waits when the call had no effect, and is accepted later', async () => {
    harness.answers = [ANSWERS.unavailable('7'), ANSWERS.notSent];
    expect(await sender.send(sendRequest())).toEqual({ kind: 'retry', afterMs: 7_000 });
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting', outcome: 'HTTP 503' });
    expect(await sender.send(sendRequest())).toEqual({ kind: 'retry', afterMs: 1_000 });
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', attempts: 3 });
  });

  it('waits for its own backoff when Retry-After asks for less', async () => {
    harness.answers = [ANSWERS.unavailable('0')];
    expect(await sender.send(sendRequest())).toEqual({ kind: 'retry', afterMs: 500 });
  });

  it('whose outcome is unknown becomes uncertain and is not retried', async () => {
    harness.answers = [ANSWERS.unknown];
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'uncertain', outcome: 'ECONNRESET' });
  });

  it('is not sent a sixth time when its request says resend', async () => {
    const request = sendRequest({ onUncertain: 'resend' });
    harness.answers = Array.from({ length: 10 }, () => ANSWERS.unknown);
    // A function that has seen three unknown outcomes in a row would open the circuit breaker.
    for (let attempt = 1; attempt < 5; attempt += 1) {
      expect(await harness.startFunction().send(request)).toMatchObject({ kind: 'retry' });
    }
    expect(await harness.startFunction().send(request)).toEqual(DONE);
    expect(await harness.startFunction().send(request)).toEqual(DONE);
    expect(harness.calls).toHaveLength(5);
    expect(await harness.sendItem()).toMatchObject({ state: 'uncertain', attempts: 5 });
  });

  it('is sent again after any number of calls that had no effect, because only unknown outcomes count', async () => {
    const request = sendRequest({ onUncertain: 'resend' });
    harness.answers = [...Array.from({ length: 7 }, () => ANSWERS.unavailable()), ANSWERS.unknown];
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      expect(await sender.send(request)).toMatchObject({ kind: 'retry' });
    }
    expect(await sender.send(request)).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', attempts: 9, unknownOutcomes: 1 });
  });

  it('that is always blocked is rejected at its hundredth attempt and delays its contact no longer', async () => {
    const request = sendRequest();
    harness.answers = Array.from({ length: 100 }, () => ANSWERS.blocked);
    for (let attempt = 1; attempt < 100; attempt += 1) {
      expect(await sender.send(request)).toMatchObject({ kind: 'retry' });
    }
    expect(await sender.send(request)).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({
      state: 'rejected',
      outcome: "HTTP 403, without the chat service's error body, at attempt 100",
    });
  });
});

describe("a call that is answered with the ID of another contact's message", () => {
  it('is accepted and reported, and changes nothing of that message, also when it is delivered again', async () => {
    const other = { contact: contactRef('chat', '+5491155559999'), requestId: 'request-9', claimedAt: NOW, attempt: 1 };
    const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update' } };
    await harness.messages.recordOutbound({ id: 'message-out', call, ...other });
    const before = await harness.item('MESSAGE#message-out MESSAGE');
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', messageId: 'message-out' });
    expect(await harness.item('MESSAGE#message-out MESSAGE')).toEqual(before);
    expect(harness.counted).toEqual(['SendAccepted', 'MessageNotRecorded', 'MessageNotRecorded']);
  });
});

describe('a status of an earlier call that arrives during a later one', () => {
  const confirm = async () => {
    const message = await harness.sends.confirm('request-1', { messageId: 'message-1', at: harness.now() });
    if (message !== undefined) await harness.messages.recordOutbound(message);
  };

  it.each([
    ['rejected', ANSWERS.invalidChannel],
    ['not made', ANSWERS.unavailable()],
  ])('belongs to the earlier call once the later one is %s', async (_case, answer) => {
    const request = sendRequest({ onUncertain: 'resend', ruleNameOrId: 'parcel_update', reason: 'shipping-status' });
    // The free-form message has an unknown outcome. Then the window closes, so a template is sent.
    harness.answers = [
      ANSWERS.unknown,
      async () => {
        await confirm();
        return answer;
      },
    ];
    expect(await sender.send(request)).toMatchObject({ kind: 'retry' });
    const firstClaimedAt = NOW;
    harness.advance(24 * 60 * 60);
    expect(await sender.send(request)).toEqual(DONE);

    expect(harness.calls.map(({ endpoint }) => endpoint)).toEqual(['message/v3', 'intent/v2']);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', messageId: 'message-1' });
    expect(await harness.item('MESSAGE#message-1 MESSAGE')).toMatchObject({
      call: { endpoint: 'message/v3' },
      createdAt: firstClaimedAt,
    });
    // A repeated delivery of the request or of the status changes nothing.
    const items = await harness.items();
    expect(await sender.send(request)).toEqual(DONE);
    await confirm();
    expect(await harness.items()).toEqual(items);
  });
});

describe('the outcome of a call', () => {
  /** Keeps the table from recording results while the clock is before `instant`. */
  const failUntil = (instant: string) => {
    const { recordResult } = harness.sends;
    vi.spyOn(harness.sends, 'recordResult').mockImplementation((...parameters) =>
      harness.now() < instant ? Promise.reject(new Error('throttled')) : recordResult(...parameters),
    );
  };

  it('survives two failed writes', async () => {
    const { recordResult } = harness.sends;
    let failures = 2;
    vi.spyOn(harness.sends, 'recordResult').mockImplementation((...parameters) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('throttled')) : recordResult(...parameters);
    });
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted' });
  });

  it('is recorded even if the table is unavailable for a minute', async () => {
    failUntil(addMs(NOW, 60_000));
    expect(await sender.send(sendRequest({ onUncertain: 'resend' }))).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted' });
    expect(harness.calls).toHaveLength(1);
    // Pauses grow to two seconds, to limit the number of writes.
    expect(harness.sleeps.slice(0, 7)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  });

  it('fails the message before the invocation ends if the table is unavailable for longer', async () => {
    failUntil(addMs(NOW, 3_600_000));
    await expect(sender.send(sendRequest())).rejects.toThrow('throttled');
    expect(harness.now() <= addMs(NOW, INVOCATION_MS)).toBe(true);
  });

  it('ends the request, and creates no item, when its item was removed during the call', async () => {
    harness.answers = [
      async () => {
        const Key = marshall(sendKey('request-1'));
        await tables.client.send(new DeleteItemCommand({ TableName: tableName, Key }));
        return ANSWERS.unknown;
      },
    ];
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(await harness.sendItem()).toBeUndefined();
    const uncertain = sendResult('uncertain');
    expect(await harness.sends.recordResult('nowhere', 'claim', uncertain)).toEqual({ kind: 'missing' });
  });
});
