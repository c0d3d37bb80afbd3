import { beforeEach, describe, expect, it } from 'vitest';
import { serializeDueMessage } from '../../../../../lambdas/domain/send-request.ts';
import { DONE } from '../../../../../lambdas/runtime/queue-handler.ts';
import { NOW, sendRequest, USER } from '../../../../support/builders.ts';
import { putSendInState } from '../../../../support/send-states.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createSendHarness, type RunningSend, type SendHarness } from '../../send/send-harness.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

// The management API beside the function `send`, on one table.

const tables = testTables();
let stage: ManagedStage;
let harness: SendHarness;
let sender: RunningSend;
beforeEach(async () => {
  stage = await createManagedStage(tables);
  harness = await createSendHarness(tables, { tableName: stage.tableName });
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

const IN_AN_HOUR = '2026-11-20T13:00:00.000Z';
const BODY = JSON.stringify(sendRequest({ sendAt: IN_AN_HOUR }));
const DUE = serializeDueMessage('request-1');
const CUSTOMER = { customerId: 'customer-1' };
const cancel = (requestId = 'request-1') => stage.call('cancelSend', { body: { requestId } });
const schedule = () => sender.receive(BODY);

describe('cancelling a scheduled send', () => {
  it('ends it and removes its schedule, and can be repeated', async () => {
    await schedule();
    const cancelled = { status: 200, body: { requestId: 'request-1', state: 'cancelled', cancelledAt: NOW } };

    expect([await cancel(), await cancel()]).toMatchObject([cancelled, cancelled]);

    expect(await stage.sendItem()).toMatchObject({ state: 'cancelled', cancelledAt: NOW });
    expect(stage.cancelledSchedules).toContain('request-1');
    expect(stage.counted).toEqual(['SendCancelled']);
    harness.setNow(IN_AN_HOUR);
    expect(await sender.receive(DUE)).toEqual(DONE);
    expect(harness.calls).toEqual([]);
  });

  it('keeps it from being sent even when its schedule could not be removed', async () => {
    await schedule();
    stage.isSchedulerUnavailable = true;
    await expect(cancel()).rejects.toThrow('unavailable');
    harness.setNow(IN_AN_HOUR);

    for (const message of [DUE, BODY]) expect(await sender.receive(message)).toEqual(DONE);

    expect([harness.calls, harness.deadLetters]).toEqual([[], []]);
  });

  it('keeps it from being scheduled when its request is queued again', async () => {
    await schedule();
    await cancel();
    harness.schedules.clear();

    expect(await sender.receive(BODY)).toEqual(DONE);

    expect(harness.schedules.size).toBe(0);
  });

  it('while it becomes due either cancels it or comes too late', async () => {
    await schedule();
    harness.setNow(IN_AN_HOUR);

    const [cancelled] = await Promise.all([cancel(), sender.receive(DUE)]);

    const isSent = harness.calls.length === 1;
    expect(cancelled.status).toBe(isSent ? 409 : 200);
    expect((await stage.sendItem())?.state).toBe(isSent ? 'accepted' : 'cancelled');
  });
});

it('cancelling a request to a customer is in the audit trail of the customer, until the customer is erased', async () => {
  await sender.receive(
    JSON.stringify({ ...sendRequest({ sendAt: IN_AN_HOUR }), platformContactId: undefined, ...CUSTOMER }),
  );
  await cancel();
  const { body } = await stage.call('listAudit', { query: CUSTOMER });
  expect(body).toMatchObject({ entries: [{ action: 'cancellation', requestId: 'request-1', ...CUSTOMER }] });

  await stage.call('eraseCustomer', { id: CUSTOMER.customerId });
  await stage.erase();
  expect(JSON.stringify(await stage.items())).not.toContain(CUSTOMER.customerId);
});

describe('cancelling a send that is queued or waiting', () => {
  const QUEUED = sendRequest();

  it.each(['queued', 'waiting'] as const)('ends a %s send, and its queue message makes no call', async (state) => {
    const { body } = await putSendInState(stage.sends, state);

    expect(await cancel()).toMatchObject({ status: 200, body: { state: 'cancelled', cancelledAt: NOW } });

    expect(await sender.receive(body)).toEqual(DONE);
    expect(await stage.sendItem()).toMatchObject({ state: 'cancelled', outcome: 'An operator cancelled it.' });
    expect([harness.calls, harness.deadLetters]).toEqual([[], []]);
  });

  it('keeps it from being queued when the caller repeats the request', async () => {
    await stage.call('enqueueSend', { body: QUEUED });
    await cancel();
    stage.queued.length = 0;

    expect(await stage.call('enqueueSend', { body: QUEUED })).toMatchObject({ body: { state: 'cancelled' } });

    expect(stage.queued).toEqual([]);
  });

  it('either cancels it or comes too late while it is being sent', async () => {
    const { body } = await putSendInState(stage.sends, 'queued');

    const [cancelled] = await Promise.all([cancel(), sender.receive(body)]);

    const isSent = harness.calls.length === 1;
    expect(cancelled.status).toBe(isSent ? 409 : 200);
    expect((await stage.sendItem())?.state).toBe(isSent ? 'accepted' : 'cancelled');
  });

  it('lets a status of an earlier call, whose outcome was unknown, show that the message was sent', async () => {
    await putSendInState(stage.sends, 'uncertain');
    await stage.call('resolveSend', { body: { requestId: 'request-1', outcome: 'resend' } });
    expect(await cancel()).toMatchObject({ status: 200 });

    await stage.sends.confirm('request-1', { messageId: 'message-1', at: NOW });

    expect(await stage.sendItem()).toMatchObject({ state: 'accepted', messageId: 'message-1' });
  });
});

describe('cancelling any other send', () => {
  it.each([
    ['claimed', 'is being sent; get it in a moment to see its result, and cancel it then if it is waiting.'],
    ['uncertain', 'may have been sent; resolve it instead.'],
    ['accepted', 'is accepted; only a send that is queued, scheduled, or waiting can be cancelled.'],
    ['refused', 'is refused; only a send that is queued, scheduled, or waiting can be cancelled.'],
  ] as const)('returns 409 if it is %s', async (state, why) => {
    await putSendInState(stage.sends, state);
    expect(await cancel()).toEqual({
      status: 409,
      body: { code: 'NOT_CANCELLABLE', message: `The send request-1 cannot be cancelled: it ${why}` },
    });
  });

  it('returns 404 when there is no such send', async () => {
    expect(await cancel('unknown')).toMatchObject({ status: 404, body: { code: 'SEND_NOT_FOUND' } });
  });
});
