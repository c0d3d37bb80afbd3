import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { WriteRefusedError } from '../../../../lambdas/domain/errors.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { ACCOUNT, NOW, sendRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import {
  ANSWERS,
  CALL_TIME_MS,
  createSendHarness,
  INVOCATION_MS,
  type RunningSend,
  type SendHarness,
} from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

const lost = () => Promise.reject(new Error('The answer of the table was lost.'));

/** Loses the responses to the first claims, which take effect. */
const loseClaims = (count: number) => {
  const { claim } = harness.sends;
  let left = count;
  const spy = vi.spyOn(harness.sends, 'claim').mockImplementation(async (...parameters) => {
    const claimed = await claim(...parameters);
    left -= 1;
    return left >= 0 ? lost() : claimed;
  });
  return spy;
};

describe('a claim whose response is lost', () => {
  it('is repeated with its id, so the request is sent once and the claim counts once', async () => {
    const spy = loseClaims(2);
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(new Set(spy.mock.calls.map(([, { claimId }]) => claimId)).size).toBe(1);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', attempts: 1 });
  });

  it('makes the request wait if it cannot be confirmed, because no call was made', async () => {
    loseClaims(Number.POSITIVE_INFINITY);
    await expect(sender.send(sendRequest())).rejects.toThrow('lost');
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'waiting',
      outcome: 'The claim could not be confirmed, so no call was made.',
    });

    vi.restoreAllMocks();
    expect(await harness.startFunction().send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
  });

  it('is repeated only while enough time is left for both calls', async () => {
    vi.spyOn(harness.sends, 'claim').mockImplementation(lost);
    await expect(sender.send(sendRequest())).rejects.toThrow('lost');
    expect(harness.now() <= addMs(NOW, INVOCATION_MS - 2 * CALL_TIME_MS)).toBe(true);
    expect(await harness.sendItem()).toBeUndefined();
  });

  it('is not repeated if the table can never accept it', async () => {
    const refused = new WriteRefusedError('ValidationException: too large');
    const spy = vi.spyOn(harness.sends, 'claim').mockRejectedValue(refused);
    await expect(sender.send(sendRequest())).rejects.toBe(refused);
    expect(spy).toHaveBeenCalledTimes(1);
  });

  it('counts one resend and one earlier unknown outcome', async () => {
    const request = sendRequest({ onUncertain: 'resend' });
    harness.answers = [{ kind: 'unknown', cause: 'ECONNRESET' }];
    await sender.send(request);
    loseClaims(1);
    expect(await sender.send(request)).toEqual(DONE);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', attempts: 2, unknownOutcomes: 1 });
  });
});

describe('a claim of a send that has been claimed before', () => {
  const request = sendRequest({ onUncertain: 'resend' });
  const WAITS = ANSWERS.unavailable();
  const UNKNOWN = ANSWERS.unknown;

  it.each([
    ['waiting', WAITS],
    ['uncertain', UNKNOWN],
  ])('waits a second if its function has a clock that is behind: %s', async (_, answer) => {
    harness.answers = [answer];
    await sender.send(request);
    harness.setNow(addMs(NOW, -1));
    expect(await harness.startFunction().send(request)).toEqual({ kind: 'retry', afterMs: 1_000 });
    expect(harness.calls).toHaveLength(1);

    harness.setNow(addMs(NOW, 999));
    expect(await harness.startFunction().send(request)).toEqual(DONE);
    expect(harness.calls).toHaveLength(2);
  });
});

describe('an opt-out that is recorded between the read of the contact and the claim', () => {
  const optOut = () =>
    harness.contacts.recordConsent(contactRef(ACCOUNT.platform, USER), {
      kind: 'opt-out',
      origin: 'user',
      at: harness.now(),
      source: 'call',
    });
  const template = { ruleNameOrId: 'hello' };
  const templateOnly = sendRequest({ messageText: undefined, ...template, reason: 'payment' });

  const beforeClaim = (happen: () => Promise<void>) => {
    const { claim } = harness.sends;
    vi.spyOn(harness.sends, 'claim').mockImplementationOnce(async (...parameters) => {
      await happen();
      return claim(...parameters);
    });
  };
  /** The user writes a minute after the opt-out. */
  const writes = () => {
    harness.advance(60);
    return harness.openWindow(USER, { lastInboundAt: harness.now() });
  };

  it.each([
    ['a template', templateOnly],
    ['a free-form message', sendRequest()],
  ])('blocks %s', async (_, request) => {
    beforeClaim(optOut);
    expect(await sender.send(request)).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
  });

  it('does not block the answer to a user who has written since', async () => {
    beforeClaim(async () => {
      await optOut();
      await writes();
    });
    expect(await sender.send(sendRequest())).toEqual(DONE);
    expect(harness.calls).toMatchObject([{ endpoint: 'message/v3' }]);
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted', attempts: 1 });
  });

  it('blocks a template even if the user has written since, so the free-form message is sent instead', async () => {
    await harness.putContact(USER, { lastInboundAt: '2026-11-01T00:00:00.000Z' });
    beforeClaim(async () => {
      await optOut();
      await writes();
    });
    const request = sendRequest({ ...template, reason: 'payment' });
    expect(await sender.send(request)).toEqual({ kind: 'retry', afterMs: 0 });
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting' });
    expect(await sender.send(request)).toEqual(DONE);
    expect(harness.calls).toMatchObject([{ endpoint: 'message/v3' }]);
  });

  it('blocks the template that follows error 201', async () => {
    harness.answers = [
      async () => {
        await optOut();
        return ANSWERS.windowClosed;
      },
    ];
    expect(await sender.send(sendRequest({ ...template, reason: 'payment' }))).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem()).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
  });

  it.each([
    ['a template', templateOnly],
    ['a free-form message', sendRequest()],
  ])('makes %s wait if the consents cannot be read again', async (_, request) => {
    beforeClaim(async () => {
      // After five seconds of retries, the account is read again too.
      for (const read of ['readConsents', 'readWithAccount'] as const)
        vi.spyOn(harness.contacts, read).mockRejectedValue(new Error('unavailable'));
    });
    await expect(sender.send(request)).rejects.toThrow('unavailable');
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting' });
  });
});
