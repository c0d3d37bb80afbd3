import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { addMs, msBetween } from '../../../../../lambdas/domain/instant.ts';
import { createCallPace } from '../../../../../lambdas/send/bulk/call-pace.ts';
import { NOW, queuedSend, sendRequest } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { ANSWERS, CALL_TIME_MS, createSendHarness, PROBE_LEASE_MS } from '../send-harness.ts';

const INTERVAL_MS = 400;

describe('a pace of calls', () => {
  const createPace = (earlyMs = 0) => {
    let now = NOW;
    let failures = 0;
    return {
      failNextSleep: () => {
        failures = 1;
      },
      advance: (ms: number) => {
        now = addMs(now, ms);
      },
      now: () => now,
      pace: createCallPace({
        intervalMs: INTERVAL_MS,
        maxConcurrentCalls: 10,
        clock: { now: () => now },
        sleep: async (ms) => {
          failures -= 1;
          if (failures === 0) throw new Error('The timer failed.');
          now = addMs(now, Math.max(1, ms - earlyMs));
        },
      }),
    };
  };

  it('starts calls in order and at least an interval apart, even if timers end early', async () => {
    const pauses = fc.array(fc.nat(2 * INTERVAL_MS), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pauses, fc.nat(5), async (pausesMs, earlyMs) => {
        const { pace, advance, now } = createPace(earlyMs);
        const starts: [number, string][] = [];
        const calls = pausesMs.map((ms, index) => {
          advance(ms);
          return pace.waitForSlot().then(() => starts.push([index, now()]));
        });
        await Promise.all(calls);
        expect(starts.map(([index]) => index)).toEqual([...pausesMs.keys()]);
        for (const [index, [, at]] of starts.entries()) {
          const before = starts[index - 1]?.[1];
          if (before !== undefined) expect(msBetween(before, at)).toBeGreaterThanOrEqual(INTERVAL_MS);
        }
      }),
    );
  });

  it('counts the start of an invocation as a call, so that an idle instance does not start one at once', async () => {
    const { pace, now } = createPace();
    pace.startInvocation();
    await pace.waitForSlot();
    expect(now()).toBe(addMs(NOW, INTERVAL_MS));
  });

  it('goes on after a wait that failed', async () => {
    const { pace, failNextSleep, now } = createPace();
    await pace.waitForSlot();
    failNextSleep();
    const calls = await Promise.allSettled([pace.waitForSlot(), pace.waitForSlot()]);
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(now()).toBe(addMs(NOW, INTERVAL_MS));
  });

  it('waits for no more than the interval if the clock was set back', async () => {
    const { pace, advance, now } = createPace();
    await pace.waitForSlot();
    advance(-3_600_000);
    const before = now();
    await pace.waitForSlot();
    expect(msBetween(before, now())).toBeLessThanOrEqual(INTERVAL_MS);
  });
});

describe('a function with a pace', () => {
  const tables = testTables();
  let harness: Awaited<ReturnType<typeof createSendHarness>>;
  beforeEach(async () => {
    harness = await createSendHarness(tables, { callIntervalMs: INTERVAL_MS });
    for (const user of ['user a', 'user b', 'user c']) await harness.openWindow(user);
  });
  const request = (id: string) => sendRequest({ requestId: id, platformContactId: `user ${id}` });
  const gaps = () => harness.callTimes.slice(1).map((at, index) => msBetween(harness.callTimes[index] ?? '', at));

  it('paces the calls of different contacts', async () => {
    const sender = harness.startFunction();
    for (const id of ['a', 'b', 'c']) await sender.send(request(id));
    expect(gaps()).toEqual([INTERVAL_MS, INTERVAL_MS]);
  });

  it('returns a request to the queue if no time is left after the wait for its slot, without a call', async () => {
    const sender = harness.startFunction();
    const endBy = addMs(harness.now(), 2 * CALL_TIME_MS + INTERVAL_MS / 2);
    await sender.send(request('a'));
    expect(await sender.sendMessage({ ...queuedSend(request('b')), endBy })).toEqual({ kind: 'retry', afterMs: 0 });
    expect(harness.calls).toHaveLength(1);
  });

  it('lets a held request wait on the queue instead, and takes no slot for it', async () => {
    harness.answers = [ANSWERS.noCredit];
    const sender = harness.startFunction();
    await sender.send(request('a'));
    await sender.send(request('b'));
    expect(harness.sleeps).toEqual([]);
  });

  it('waits before it claims a probe, and its lease includes the wait of its second call', async () => {
    harness.answers = [ANSWERS.noCredit];
    let leaseMs = 0;
    const sender = harness.startFunction();
    await sender.send(request('a'));
    const { nextProbeAt } = (await harness.accountItem()) ?? {};
    harness.setNow(String(nextProbeAt));
    // As if the next invocation had just started.
    sender.startInvocation();
    harness.answers = [
      async () => {
        leaseMs = msBetween(harness.now(), String((await harness.accountItem())?.nextProbeAt));
        return ANSWERS.noCredit;
      },
    ];
    await sender.send(request('b'));
    expect(leaseMs).toBe(PROBE_LEASE_MS + 10 * INTERVAL_MS);
  });

  it('has no pace unless it is set', async () => {
    const plain = await createSendHarness(tables);
    for (const user of ['user a', 'user b']) await plain.openWindow(user);
    const sender = plain.startFunction();
    for (const id of ['a', 'b']) await sender.send(request(id));
    expect(plain.sleeps).toEqual([]);
    expect(plain.calls).toHaveLength(2);
  });
});
