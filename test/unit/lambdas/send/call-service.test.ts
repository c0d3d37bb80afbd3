import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { NOW, queuedSend, sendRequest, templateRequest, USER, wireStatus } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { repositoriesOf } from '../adapters/dynamodb/repositories.ts';
import { ANSWERS, CALL_TIME_MS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

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

const both = { ...sendRequest(), ...templateRequest() };
const TEMPLATE = { endpoint: 'intent/v2', body: { ruleNameOrId: 'parcel_update' } };

describe('the template after error 201', () => {
  it('is recorded before the call, so that the item never shows a message that was not sent', async () => {
    harness.answers = [
      ANSWERS.windowClosed,
      async () => {
        expect(await harness.sendItem()).toMatchObject({ state: 'claimed', call: TEMPLATE });
        return ANSWERS.unknown;
      },
    ];
    expect(await sender.send(both)).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({
      state: 'uncertain',
      call: TEMPLATE,
      decision: expect.stringContaining('error 201'),
      outcome: 'ECONNRESET',
    });
  });

  it('is the message of the conversation when a status confirms it', async () => {
    harness.answers = [ANSWERS.windowClosed, ANSWERS.unknown];
    await sender.send(both);
    const { storeEvent } = repositoriesOf(tables.tableOf(tableName));
    const status = wireStatus({ _id_: 'message-7', CLIENT_PAYLOAD: 'request-1' });
    await storeEvent({ rawBody: Buffer.from(JSON.stringify(status)), receivedAt: NOW });
    expect(await harness.item('MESSAGE#message-7 MESSAGE')).toMatchObject({ call: TEMPLATE });
  });

  it('is not sent if it cannot be recorded', async () => {
    harness.answers = [ANSWERS.windowClosed];
    vi.spyOn(harness.sends, 'replaceCall').mockRejectedValue(new Error('table unavailable'));
    expect(await sender.send(both)).toMatchObject({ kind: 'retry' });
    expect(harness.calls.map(({ endpoint }) => endpoint)).toEqual(['message/v3']);
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting' });
  });

  it('is not sent if the claim was lost in the meantime', async () => {
    harness.answers = [
      async () => {
        const claimId = String((await harness.sendItem())?.claimId);
        const result = { state: 'uncertain' as const, at: NOW, outcome: 'lease expired', isAnswered: false };
        await harness.sends.recordResult('request-1', claimId, result);
        return ANSWERS.windowClosed;
      },
    ];
    await sender.send(both);
    expect(harness.calls.map(({ endpoint }) => endpoint)).toEqual(['message/v3']);
  });

  it('is not sent after its notAfter', async () => {
    harness.answers = [
      async () => {
        harness.advance(10);
        return ANSWERS.windowClosed;
      },
    ];
    expect(await sender.send({ ...both, notAfter: addMs(NOW, 5_000) })).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'expired' });
  });

  it('is not sent if there is not enough time', async () => {
    harness.answers = [
      async () => {
        harness.advance(CALL_TIME_MS / 1000);
        return ANSWERS.windowClosed;
      },
    ];
    const endBy = addMs(NOW, 2 * CALL_TIME_MS - 1);
    expect(await sender.sendMessage({ ...queuedSend(both), endBy: addMs(NOW, 2 * CALL_TIME_MS) })).toEqual(DONE);
    expect(harness.calls).toHaveLength(2);

    harness.setNow(NOW);
    await harness.openWindow(USER);
    harness.answers = [ANSWERS.windowClosed];
    const other = { ...both, requestId: 'request-2' };
    expect(await sender.sendMessage({ ...queuedSend(other), endBy })).toEqual({ kind: 'retry', afterMs: 0 });
    expect(harness.calls).toHaveLength(2);
  });
});

describe('the window after error 201', () => {
  const answer201During = async (write: () => Promise<void>) => {
    harness.answers = [
      async () => {
        await write();
        return ANSWERS.windowClosed;
      },
    ];
    await sender.send(sendRequest());
    harness.advance(3_600);
  };

  it('is closed as of the claim, so that a message written during the call opens it', async () => {
    await answer201During(async () => {
      harness.advance(4);
      await harness.openWindow(USER, { lastInboundAt: addMs(NOW, 2_000) });
    });
    await sender.send(sendRequest({ requestId: 'request-2' }));
    expect(await harness.sendItem('request-2')).toMatchObject({
      state: 'accepted',
      call: { endpoint: 'message/v3' },
    });
  });

  it('is closed for a message written before the call', async () => {
    await answer201During(async () => harness.advance(4));
    expect(await harness.item('CONTACT#chat#*#541155550000 DENIAL')).toMatchObject({ windowDeniedAt: NOW });
    await sender.send(sendRequest({ requestId: 'request-2' }));
    expect(await harness.sendItem('request-2')).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED' });
  });
});

describe('the decision and the outcome of a send', () => {
  it('are separate: why the call was made, and its result', async () => {
    harness.answers = [ANSWERS.unavailable(), ANSWERS.invalidChannel];
    const decision = expect.stringContaining('the window is open');
    await sender.send(sendRequest());
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting', decision, outcome: 'HTTP 503' });
    await sender.send(sendRequest());
    expect(await harness.sendItem()).toMatchObject({
      state: 'rejected',
      decision,
      outcome: 'HTTP 200, code 304',
      outcomeDetails: 'Invalid channel',
    });
  });

  it('do not show the outcome of an earlier call during the next one', async () => {
    harness.answers = [
      { kind: 'answered', httpStatus: 503, body: { error: { code: 9, message: 'Try later' } } },
      async () => {
        expect(await harness.sendItem()).not.toHaveProperty('outcome');
        expect(await harness.sendItem()).not.toHaveProperty('outcomeDetails');
        return ANSWERS.accepted;
      },
    ];
    await sender.send(sendRequest());
    expect(await harness.sendItem()).toMatchObject({ outcome: 'HTTP 503, code 9', outcomeDetails: 'Try later' });
    await sender.send(sendRequest());
    expect(await harness.sendItem()).toMatchObject({
      state: 'accepted',
      outcome: expect.stringContaining('message-out'),
    });
  });
});

describe('a template that is accepted without an id', () => {
  const accepted = { kind: 'answered' as const, httpStatus: 200, body: { problems: null, result: {} } };
  const deliver = (messageId: string, time: string) => {
    const { storeEvent } = repositoriesOf(tables.tableOf(tableName));
    const event = wireStatus({ _id_: messageId, CREATION_TIME: time, CLIENT_PAYLOAD: 'request-1' });
    return storeEvent({ rawBody: Buffer.from(JSON.stringify(event)), receivedAt: addMs(NOW, 60_000) });
  };

  it('is accepted, and never sent again, even if it says resend', async () => {
    harness.answers = [accepted];
    const request = templateRequest({ onUncertain: 'resend' });
    expect(await sender.send(request)).toEqual(DONE);
    expect(await sender.send(request)).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    const item = await harness.sendItem();
    expect(item).toMatchObject({ state: 'accepted' });
    expect(item).not.toHaveProperty('messageId');
  });

  it('gets its id and its message from the first status that carries its request id', async () => {
    harness.answers = [accepted];
    await sender.send(templateRequest());
    await deliver('message-7', addMs(NOW, 2_000));
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', acceptedAt: NOW, messageId: 'message-7' });
    expect(await harness.item('MESSAGE#message-7 MESSAGE')).toMatchObject({
      direction: 'outbound',
      requestId: 'request-1',
      call: TEMPLATE,
      deliveredAt: addMs(NOW, 2_000),
    });
  });

  it('gets its message even if the function that added its id died before recording the message', async () => {
    harness.answers = [accepted];
    await sender.send(templateRequest());
    await harness.sends.confirm('request-1', { messageId: 'message-7', at: addMs(NOW, 2_000) });
    await deliver('message-7', addMs(NOW, 2_000));
    expect(await harness.item('MESSAGE#message-7 MESSAGE')).toMatchObject({ requestId: 'request-1', call: TEMPLATE });
  });

  it.each([
    ['one', 'two'],
    ['two', 'one'],
  ])('takes the earlier of two messages that its rule sent, in the order %s, %s', async (...order) => {
    harness.answers = [accepted];
    await sender.send(templateRequest());
    const at = { one: addMs(NOW, 1_000), two: addMs(NOW, 2_000) };
    for (const id of order) await deliver(id, id === 'one' ? at.one : at.two);
    expect(await harness.sendItem()).toMatchObject({ messageId: 'one' });
  });
});

describe('a 2xx that leaves the outcome unknown', () => {
  it.each([
    ['an id together with problems', { id: 'm-1', problems: { code: 0, message: 'ok' } }],
    ['no readable id', { result: {} }],
  ])('with %s is uncertain and not repeated, even if the request says resend', async (_case, body) => {
    harness.answers = [{ kind: 'answered', httpStatus: 200, body }];
    const request = sendRequest({ onUncertain: 'resend' });
    expect(await sender.send(request)).toEqual(DONE);
    expect(await harness.startFunction().send(request)).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'uncertain', isAnswered: true });
  });
});
