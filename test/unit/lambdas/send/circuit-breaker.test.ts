import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { sendRequest } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  // With a default template and opt-ins, nothing but the account can keep a request from being sent.
  harness = await createSendHarness(tables, { rules: { defaultTemplate: { ruleNameOrId: 'hello' } } });
  sender = harness.startFunction();
});

const request = (requestId: string, changes: Record<string, unknown> = {}) =>
  sendRequest({ requestId, platformContactId: `user ${requestId}`, reason: 'payment', ...changes });
const optIn = async (...requestIds: string[]) => {
  for (const requestId of requestIds) await harness.optIn(`user ${requestId}`);
};
const openCircuit = async () => {
  await optIn('a');
  harness.answers = [ANSWERS.noCredit];
  return sender.send(request('a'));
};

describe('when the account has no credit, the circuit breaker', () => {
  it('opens: the request waits, and the next one is not tried', async () => {
    await optIn('b');
    expect(await openCircuit()).toEqual({ kind: 'retry', afterMs: 5_000 });
    expect(await sender.send(request('b'))).toEqual({ kind: 'retry', afterMs: 5_000 });
    expect(harness.calls).toHaveLength(1);
    expect(await harness.accountItem()).toMatchObject({
      circuit: 'open',
      reason: 'no-credit',
      openedAt: harness.now(),
    });
    expect(await harness.sendItem('a')).toMatchObject({
      state: 'waiting',
      outcome: expect.stringContaining('code 101'),
    });
    expect(await harness.sendItem('b')).toMatchObject({
      state: 'waiting',
      decision: expect.stringContaining('has been open since'),
    });
    expect(harness.samples.findLast(({ name }) => name === 'AccountHeld')).toMatchObject({ value: 1 });
  });

  it('lets one probe at a time through, whichever function sends it', async () => {
    await openCircuit();
    await optIn('b', 'c', 'd');
    harness.advance(6);
    harness.answers = [ANSWERS.noCredit, ANSWERS.noCredit, ANSWERS.noCredit];
    const functions = [sender, harness.startFunction(), harness.startFunction()];
    await Promise.all(['b', 'c', 'd'].map((id, index) => functions[index]?.send(request(id))));
    expect(harness.calls).toHaveLength(2);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', probes: 1 });
  });

  it('probes at growing intervals, and requests wait a quarter of the time for which it has been open', async () => {
    await openCircuit();
    for (const [waited, next] of [
      [6, 10],
      [11, 20],
      [21, 40],
      [41, 80],
    ] as const) {
      harness.advance(waited);
      harness.answers = [ANSWERS.noCredit];
      await sender.send(request('a'));
      expect((await harness.accountItem())?.nextProbeAt).toBe(addMs(harness.now(), next * 1000));
    }
    harness.advance(1);
    expect(await sender.send(request('a'))).toEqual({ kind: 'retry', afterMs: 20_000 });
  });

  it('closes for all functions after the first accepted probe', async () => {
    await openCircuit();
    await optIn('b');
    harness.advance(6);
    expect(await harness.startFunction().send(request('a'))).toEqual({ kind: 'done' });
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed', closedAt: harness.now() });
    expect(harness.counted).toContain('AccountResumed');
    harness.advance(6);
    expect(await sender.send(request('b'))).toEqual({ kind: 'done' });
  });

  it('stays open, and is not reported closed, when a later probe has taken over from the accepted one', async () => {
    await openCircuit();
    await optIn('b');
    harness.advance(6);
    const late = Promise.withResolvers<void>();
    harness.answers = [() => late.promise.then(() => ANSWERS.accepted), ANSWERS.noCredit];
    const slow = sender.send(request('a'));
    await expect.poll(() => harness.calls.length).toBe(2);
    harness.advance(61);
    await harness.startFunction().send(request('b'));
    late.resolve();
    expect(await slow).toEqual({ kind: 'done' });
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open' });
    expect(harness.counted).not.toContain('AccountResumed');
  });

  it('makes no message fail whose outcome is recorded, if it cannot be opened or closed', async () => {
    vi.spyOn(harness.circuits, 'open').mockRejectedValueOnce(new Error('table unavailable'));
    expect(await openCircuit()).toMatchObject({ kind: 'retry' });
    expect(await harness.sendItem('a')).toMatchObject({ state: 'waiting' });
    await openCircuit();
    harness.advance(6);
    vi.spyOn(harness.circuits, 'close').mockRejectedValueOnce(new Error('table unavailable'));
    expect(await sender.send(request('a'))).toEqual({ kind: 'done' });
    expect(await harness.sendItem('a')).toMatchObject({ state: 'accepted' });
  });

  it('stays open after a probe that met an unavailable service', async () => {
    await openCircuit();
    harness.advance(6);
    harness.answers = [ANSWERS.unavailable()];
    expect(await sender.send(request('a'))).toMatchObject({ kind: 'retry' });
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', reason: 'no-credit' });
    expect(harness.counted).not.toContain('AccountResumed');
  });

  it('allows another probe after the lease of one whose function died', async () => {
    await openCircuit();
    harness.advance(6);
    harness.answers = [() => Promise.reject(new Error('killed'))];
    await expect(sender.send(request('a'))).rejects.toThrow('killed');
    await optIn('b');
    harness.advance(30);
    expect(await harness.startFunction().send(request('b'))).toMatchObject({ kind: 'retry' });
    harness.advance(31);
    expect(await harness.startFunction().send(request('b'))).toEqual({ kind: 'done' });
    expect(harness.calls).toHaveLength(3);
  });

  it('is not opened again by a call that started before it closed', async () => {
    await optIn('a', 'b');
    const late = Promise.withResolvers<void>();
    harness.answers = [() => late.promise.then(() => ANSWERS.noCredit), ANSWERS.noCredit];
    const slow = harness.startFunction().send(request('b'));
    await expect.poll(() => harness.calls.length).toBe(1);
    await sender.send(request('a'));
    harness.advance(6);
    expect(await sender.send(request('a'))).toEqual({ kind: 'done' });
    late.resolve();
    await slow;
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed' });
  });

  it('still lets requests expire and be refused', async () => {
    await openCircuit();
    const expiring = request('e', { notAfter: addMs(harness.now(), 2_000) });
    await optIn('e');
    expect(await sender.send(expiring)).toEqual({ kind: 'retry', afterMs: 2_001 });
    harness.advance(3);
    expect(await sender.send(expiring)).toEqual({ kind: 'done' });
    expect(await harness.sendItem('e')).toMatchObject({ state: 'expired' });
    expect(await sender.send(request('stranger'))).toEqual({ kind: 'done' });
    expect(await harness.sendItem('stranger')).toMatchObject({ state: 'refused', code: 'NO_OPT_IN' });
  });
});

describe('a function that has seen no answer for a while', () => {
  it('makes one call before it makes others concurrently', async () => {
    await optIn('a', 'b', 'c');
    harness.answers = [ANSWERS.noCredit];
    await Promise.all(['a', 'b', 'c'].map((id) => sender.send(request(id))));
    expect(harness.calls).toHaveLength(1);
  });

  it('lets the others through when the first call fails for another reason', async () => {
    await optIn('a', 'b', 'c');
    harness.answers = [() => Promise.reject(new Error('broken')), ANSWERS.unavailable(), ANSWERS.accepted];
    const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => sender.send(request(id))));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(harness.calls).toHaveLength(3);
  });
});
