import { beforeEach, describe, expect, it } from 'vitest';
import type { AddressedRequest } from '../../../../lambdas/domain/addressed-request.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { parseSendRequest, serializeDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { NOW, queuedSend, sendRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const IN_AN_HOUR = addMs(NOW, HOUR_MS);
const DUE = serializeDueMessage('request-1');
const body = (changes: Partial<AddressedRequest> = {}) =>
  JSON.stringify(sendRequest({ sendAt: IN_AN_HOUR, ...changes }));

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

describe('a request with sendAt', () => {
  it('is recorded as scheduled, and its schedule is created', async () => {
    expect(await sender.receive(body())).toEqual(DONE);

    expect(await harness.sendItem()).toMatchObject({
      state: 'scheduled',
      sendAt: IN_AN_HOUR,
      scheduledAt: NOW,
      body: body(),
    });
    expect([...harness.schedules]).toEqual([['request-1', IN_AN_HOUR]]);
    expect([harness.calls, harness.counted]).toEqual([[], ['SendScheduled']]);
  });

  it('is retained as long after sendAt as another send after it was queued', async () => {
    const sendAt = addMs(NOW, 300 * DAY_MS);

    await sender.receive(body({ sendAt }));

    expect(await harness.sendItem()).toMatchObject({ expiresAt: Date.parse(sendAt) / 1000 + 400 * 24 * 3600 });
  });

  it('is sent when it becomes due, and once however often its messages arrive', async () => {
    await sender.receive(body());
    harness.setNow(IN_AN_HOUR);

    for (const message of [DUE, DUE, body()]) expect(await sender.receive(message)).toEqual(DONE);

    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted' });
  });

  it('is sent at once when sendAt has passed or is missing', async () => {
    await sender.receive(body({ sendAt: addMs(NOW, -1) }));
    await sender.receive(body({ requestId: 'request-2', sendAt: undefined }));

    expect(await harness.sendItem('request-1')).toMatchObject({ state: 'accepted' });
    expect(await harness.sendItem('request-2')).toMatchObject({ state: 'accepted' });
    expect(harness.calls).toHaveLength(2);
    expect(harness.schedules.size).toBe(0);
  });

  it('waits in the queue when it is due within a minute, which is too precise for a schedule', async () => {
    expect(await sender.receive(body({ sendAt: addMs(NOW, 59_000) }))).toEqual({ kind: 'retry', afterMs: 59_000 });

    expect(harness.schedules.size).toBe(0);
    expect(await harness.sendItem()).toMatchObject({ state: 'scheduled' });
  });

  it('gets its schedule at the next receive when the function died before creating it', async () => {
    harness.isSchedulerUnavailable = true;
    await expect(sender.receive(body())).rejects.toThrow('unavailable');
    expect(await harness.sendItem()).toMatchObject({ state: 'scheduled' });
    harness.isSchedulerUnavailable = false;

    expect(await sender.receive(body())).toEqual(DONE);

    expect(harness.schedules.size).toBe(1);
  });

  it('has no schedule, which would name the contact, when the contact is erased before the schedule is created', async () => {
    harness.beforeSchedule = () => harness.erase('request-1');

    expect(await sender.receive(body())).toEqual(DONE);

    expect(await harness.sendItem()).toMatchObject({ state: 'cancelled', body: '' });
    expect(harness.schedules.size).toBe(0);
  });

  it('has no schedule when the function then died before it could delete it', async () => {
    harness.beforeSchedule = async () => {
      await harness.erase('request-1');
      harness.schedules.set('request-1', IN_AN_HOUR);
      throw new Error('killed');
    };
    await expect(sender.receive(body())).rejects.toThrow('killed');

    expect(await sender.receive(body())).toEqual(DONE);

    expect(harness.schedules.size).toBe(0);
  });

  it('is not sent early when the clock of the scheduler is ahead', async () => {
    await sender.receive(body());
    harness.setNow(addMs(IN_AN_HOUR, -90_000));

    expect(await sender.receive(DUE)).toEqual({ kind: 'retry', afterMs: 90_000 });

    expect(harness.calls).toEqual([]);
  });

  it('is not sent when its item is gone', async () => {
    harness.setNow(IN_AN_HOUR);

    expect(await sender.receive(DUE)).toEqual(DONE);

    expect([harness.calls, harness.deadLetters]).toEqual([[], []]);
  });

  it('goes to the dead-letter queue when another request had its id', async () => {
    await sender.receive(body());

    await sender.receive(body({ messageText: 'Something else' }));

    expect(harness.deadLetters).toEqual([expect.stringContaining('REQUEST_ID_REUSED')]);
    expect(harness.schedules.size).toBe(1);
  });

  it.each([
    { sendAt: addMs(NOW, 367 * DAY_MS), says: 'sendAt: must be at most a year ahead' },
    { sendAt: 'tomorrow', says: 'sendAt: must be an ISO 8601 time' },
    { sendAt: IN_AN_HOUR, notAfter: NOW, says: 'sendAt: must be earlier than notAfter' },
  ])('at $sendAt with notAfter $notAfter goes to the dead-letter queue: $says', async ({ says, ...times }) => {
    expect(await sender.receive(body(times))).toEqual(DONE);

    expect(harness.deadLetters).toEqual([expect.stringContaining(says)]);
    expect(await harness.sendItem()).toBeUndefined();
    expect(harness.counted).toEqual(['SendMalformed']);
  });
});

describe('the repository of sends', () => {
  it('returns the send as it is when it cannot be scheduled, and undefined for one it does not have', async () => {
    const parsed = parseSendRequest(body());
    if (parsed.kind !== 'request') throw new Error(parsed.explanation);
    const send = queuedSend(parsed.request);
    const times = { at: NOW, sendAt: IN_AN_HOUR };
    expect(await harness.sends.schedule(send, times)).toEqual({ kind: 'applied' });

    expect(await harness.sends.schedule(send, times)).toMatchObject({
      kind: 'conflict',
      send: { state: 'scheduled', body: send.body },
    });
    expect(await harness.sends.read('request-1')).toMatchObject({ sendAt: IN_AN_HOUR });
    expect(await harness.sends.read('request-2')).toBeUndefined();
  });
});

describe('the window that a request is judged by', () => {
  const judgedBy = async (windowPer: 'user' | 'channel', changes: Partial<AddressedRequest> = {}) => {
    harness = await createSendHarness(tables, { windowPer });
    await harness.startFunction().receive(JSON.stringify(sendRequest(changes)));
    return (await harness.sendItem())?.contact;
  };

  it('belongs to the user, whatever number the request names', async () => {
    expect(await judgedBy('user')).toBe('CONTACT#chat#*#541155550000');
    expect(await judgedBy('user', { chatChannelNumber: '+5491100000001' })).toBe('CONTACT#chat#*#541155550000');
  });

  it('belongs to the user and the number of the request, or else of the stage, if windows are per number', async () => {
    expect(await judgedBy('channel')).toBe('CONTACT#chat#541100000000#541155550000');
    expect(await judgedBy('channel', { chatChannelNumber: '+5491100000001' })).toBe(
      'CONTACT#chat#541100000001#541155550000',
    );
  });
});
