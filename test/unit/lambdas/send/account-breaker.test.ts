import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendRequest } from '../../../support/builders.ts';
import { type EmulatedTables, startEmulatedTables } from '../aws/emulated-table.ts';
import {
  ACCEPTED,
  createSendHarness,
  NO_CREDIT,
  queued,
  type SendHarness,
  UNAUTHORIZED,
  UNAVAILABLE,
} from './send-harness.ts';

let tables: EmulatedTables;
let harness: SendHarness;
let send: ReturnType<SendHarness['newFunction']>;

beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  // A default template and consent, so that nothing but the account is at stake.
  harness = await createSendHarness(tables, { defaultTemplate: { ruleNameOrId: 'hello' } });
  send = harness.newFunction();
});

const request = (requestId: string, changes: Record<string, unknown> = {}) =>
  queued(sendRequest({ requestId, platformContactId: `user ${requestId}`, reason: 'payment', ...changes }));
const optIn = async (...requestIds: string[]) => {
  for (const requestId of requestIds) await harness.optIn(`user ${requestId}`);
};
const hold = async () => {
  await optIn('a');
  harness.answers = [NO_CREDIT];
  return send(request('a'));
};

describe('an account without credit', () => {
  it('is held: the request waits, and the next one is not tried', async () => {
    await optIn('b');
    expect(await hold()).toEqual({ kind: 'again', afterMs: 5_000 });
    expect(await send(request('b'))).toEqual({ kind: 'again', afterMs: 5_000 });
    expect(harness.calls).toHaveLength(1);
    expect(await harness.account()).toMatchObject({ state: 'held', reason: 'no-credit', heldAt: harness.now() });
    expect(await harness.sendItem('a')).toMatchObject({ state: 'waiting', why: expect.stringContaining('code 101') });
    expect(await harness.sendItem('b')).toMatchObject({ state: 'waiting', why: expect.stringContaining('held since') });
    expect(harness.counted).toContain('AccountHeld');
  });

  it('is known as such to a function that starts later', async () => {
    await optIn('b');
    await hold();
    expect(await harness.newFunction()(request('b'))).toMatchObject({ kind: 'again' });
    expect(harness.calls).toHaveLength(1);
  });

  it('is probed by one request at a time, whichever function has it', async () => {
    await hold();
    await optIn('b', 'c', 'd');
    harness.advance(6);
    harness.answers = [NO_CREDIT, NO_CREDIT, NO_CREDIT];
    const others = [send, harness.newFunction(), harness.newFunction()];
    await Promise.all(['b', 'c', 'd'].map((id, index) => others[index]?.(request(id))));
    expect(harness.calls).toHaveLength(2);
    expect(await harness.account()).toMatchObject({ state: 'held', probes: 1 });
  });

  it('is probed more and more rarely, and others wait as long as it has been held', async () => {
    await hold();
    for (const [waited, next] of [
      [6, 10],
      [11, 20],
      [21, 40],
      [41, 80],
    ] as const) {
      harness.advance(waited);
      harness.answers = [NO_CREDIT];
      await send(request('a'));
      expect((await harness.account())?.nextProbeAt).toBe(
        new Date(Date.parse(harness.now()) + next * 1000).toISOString(),
      );
    }
    harness.advance(1);
    expect(await send(request('a'))).toEqual({ kind: 'again', afterMs: 80_000 });
  });

  it('is resumed by the first probe that is accepted, for all functions', async () => {
    await hold();
    await optIn('b');
    harness.advance(6);
    expect(await harness.newFunction()(request('a'))).toEqual({ kind: 'done' });
    expect(await harness.account()).toMatchObject({ state: 'open', resumedAt: harness.now() });
    expect(harness.counted).toContain('AccountResumed');
    harness.advance(6);
    expect(await send(request('b'))).toEqual({ kind: 'done' });
  });

  it('is not resumed by a probe that the service could not take', async () => {
    await hold();
    harness.advance(6);
    harness.answers = [UNAVAILABLE];
    expect(await send(request('a'))).toMatchObject({ kind: 'again' });
    expect(await harness.account()).toMatchObject({ state: 'held', reason: 'no-credit' });
  });

  it('is probed again after the lease of a probe whose function died', async () => {
    await hold();
    harness.advance(6);
    harness.answers = [() => Promise.reject(new Error('killed'))];
    await expect(send(request('a'))).rejects.toThrow('killed');
    await optIn('b');
    harness.advance(30);
    expect(await harness.newFunction()(request('b'))).toMatchObject({ kind: 'again' });
    harness.advance(31);
    expect(await harness.newFunction()(request('b'))).toEqual({ kind: 'done' });
    expect(harness.calls).toHaveLength(3);
  });

  it('is not held again by a call that began before it was resumed', async () => {
    await optIn('a', 'b');
    const late = Promise.withResolvers<void>();
    harness.answers = [() => late.promise.then(() => NO_CREDIT), NO_CREDIT];
    const slow = harness.newFunction()(request('b'));
    await expect.poll(() => harness.calls.length).toBe(1);
    await send(request('a'));
    harness.advance(6);
    expect(await send(request('a'))).toEqual({ kind: 'done' });
    late.resolve();
    await slow;
    expect(await harness.account()).toMatchObject({ state: 'open' });
  });

  it('still lets a request expire, and be refused', async () => {
    await hold();
    const expiring = request('e', { notAfter: new Date(Date.parse(harness.now()) + 2_000).toISOString() });
    await optIn('e');
    expect(await send(expiring)).toEqual({ kind: 'again', afterMs: 2_001 });
    harness.advance(3);
    expect(await send({ ...expiring, isFirstReceive: false })).toEqual({ kind: 'done' });
    expect(await harness.sendItem('e')).toMatchObject({ state: 'expired' });
    expect(await send(request('nobody'))).toEqual({ kind: 'done' });
    expect(await harness.sendItem('nobody')).toMatchObject({ state: 'refused', code: 'NO_OPT_IN' });
  });
});

describe('a token that is refused', () => {
  it('holds the account', async () => {
    await optIn('a');
    harness.answers = [UNAUTHORIZED];
    expect(await send(request('a'))).toMatchObject({ kind: 'again' });
    expect(await harness.account()).toMatchObject({ state: 'held', reason: 'token' });
  });
});

describe('a function that has had no answer for a while', () => {
  it('makes one call before it makes others side by side', async () => {
    await optIn('a', 'b', 'c');
    harness.answers = [NO_CREDIT];
    await Promise.all(['a', 'b', 'c'].map((id) => send(request(id))));
    expect(harness.calls).toHaveLength(1);
  });

  it('lets the others through when that call fails for another reason', async () => {
    await optIn('a', 'b', 'c');
    harness.answers = [() => Promise.reject(new Error('out of order')), UNAVAILABLE, ACCEPTED];
    const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => send(request(id))));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(harness.calls).toHaveLength(3);
  });
});
