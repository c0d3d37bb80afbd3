import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { msBetween } from '../../../../lambdas/domain/instant.ts';
import { optOutConfirmationId } from '../../../../lambdas/domain/keywords/opt-out-confirmation.ts';
import type { SendRequest } from '../../../../lambdas/domain/send-request.ts';
import { ACCOUNT, optOut, sendRequest, templateRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, LEASE_MS, type SendHarness } from './send-harness.ts';

const INTERVAL_MS = 400;

const tables = testTables();
let harness: SendHarness;
beforeEach(async () => {
  harness = await createSendHarness(tables, {
    callIntervalMs: INTERVAL_MS,
    rules: { optOutConfirmation: 'You will get no more messages.' },
  });
  for (const user of [USER, 'another user']) await harness.openWindow(user);
  harness.answers = [ANSWERS.windowClosed];
});

const both: SendRequest = { ...sendRequest(), ...templateRequest() };
const recordOptOut = () => harness.contacts.recordConsent(contactRef(ACCOUNT.platform, USER), optOut(harness.now()));
const stop = async () => {
  await harness.stops.stop({ stoppedAt: harness.now(), note: 'Wrong template' });
  // For longer than what is known of the account is trusted.
  harness.advance(6);
};
const endpoints = () => harness.calls.map(({ endpoint }) => endpoint);

describe('after error 201, a request with a pace', () => {
  it('takes a slot for its template', async () => {
    await harness.startFunction().send(both);
    expect(endpoints()).toEqual(['message/v3', 'intent/v2']);
    expect(msBetween(harness.callTimes[0] ?? '', harness.callTimes[1] ?? '')).toBe(INTERVAL_MS);
  });

  it.each<[string, SendRequest, string]>([
    ['has no template', sendRequest(), 'WINDOW_CLOSED'],
    ['may not open a conversation', { ...both, reason: undefined }, 'REASON_MISSING'],
  ])('takes no slot if it %s', async (_case, request, code) => {
    const sender = harness.startFunction();
    await sender.send(request);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code });
    expect(harness.sleeps).toEqual([]);
  });

  it('takes no slot if it confirms an opt-out', async () => {
    const consent = optOut('2026-11-20T11:00:00.000Z', { messageId: 'message-1' });
    await harness.contacts.recordConsent(contactRef(ACCOUNT.platform, USER), consent);
    const requestId = optOutConfirmationId('message-1');
    await harness.startFunction().send({ requestId, platformContactId: USER, confirmsOptOut: true });
    expect(await harness.sendItem(requestId)).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED' });
    expect(harness.sleeps).toEqual([]);
  });

  it('leaves the slot that it does not take to the next request', async () => {
    const sender = harness.startFunction();
    await sender.send(sendRequest());
    await sender.send(sendRequest({ requestId: 'request-2', platformContactId: 'another user' }));
    expect(msBetween(harness.callTimes[0] ?? '', harness.callTimes[1] ?? '')).toBe(INTERVAL_MS);
  });

  it('takes no slot if an operator has stopped sending', async () => {
    harness.answers = [
      async () => {
        await stop();
        return ANSWERS.windowClosed;
      },
    ];
    await harness.startFunction().send(both);
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting' });
    expect(harness.sleeps).toEqual([]);
  });
});

describe('a template that waits for its slot after error 201', () => {
  it.each<[string, () => Promise<unknown>, Record<string, unknown>]>([
    ['the user opts out', () => recordOptOut(), { state: 'refused', code: 'OPTED_OUT' }],
    [
      'an operator stops sending',
      stop,
      { state: 'waiting', outcome: expect.stringContaining('No template was sent.') },
    ],
  ])('is not sent if %s meanwhile', async (_case, change, expected) => {
    harness.duringSleep = async () => void (await change());
    await harness.startFunction().send(both);
    expect(harness.sleeps).toHaveLength(1);
    expect(endpoints()).toEqual(['message/v3']);
    expect(await harness.sendItem()).toMatchObject(expected);
  });

  it('is not sent if the wait fails, and the request waits on the queue', async () => {
    harness.duringSleep = () => Promise.reject(new Error('The timer failed.'));
    expect(await harness.startFunction().send(both)).toMatchObject({ kind: 'retry' });
    expect(endpoints()).toEqual(['message/v3']);
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting' });
  });

  it('leaves the send uncertain if the function is killed', async () => {
    const { promise: isWaiting, resolve } = Promise.withResolvers<void>();
    harness.duringSleep = () => {
      resolve();
      return new Promise(() => {});
    };
    void harness.startFunction().send(both);
    await isWaiting;
    expect(await harness.sendItem()).toMatchObject({ state: 'claimed', call: { endpoint: 'message/v3' } });

    harness.advance(LEASE_MS / 1000 + 1);
    await harness.startFunction().send(both);
    expect(await harness.sendItem()).toMatchObject({ state: 'uncertain' });
    expect(endpoints()).toEqual(['message/v3']);
  });
});
