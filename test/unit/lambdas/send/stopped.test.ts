import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { sendRequest, templateRequest, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables);
  sender = harness.startFunction();
  await harness.openWindow(USER);
});

const request = (requestId: string, changes: Record<string, unknown> = {}) => sendRequest({ requestId, ...changes });
const stop = () => harness.stops.stop({ stoppedAt: harness.now(), note: 'Wrong template' });
const resume = () => harness.stops.resume(harness.now());
const found = { kind: 'answered' as const, httpStatus: 200, body: { problems: null, result: { [USER]: USER } } };
const DONE = { kind: 'done' };
const slowly =
  (seconds: number, answer = ANSWERS.accepted) =>
  async () => {
    harness.advance(seconds);
    return answer;
  };

describe('while an operator has stopped sending', () => {
  it('a request waits with the reason, and without the note', async () => {
    await stop();

    expect(await sender.send(request('a'))).toEqual({ kind: 'retry', afterMs: 5_000 });

    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem('a')).toMatchObject({
      state: 'waiting',
      decision: `An operator stopped sending at ${harness.now()}.`,
    });
    expect(harness.samples).toContainEqual(expect.objectContaining({ name: 'SendingStopped', value: 1 }));
  });

  it('waits a quarter of the time that the stop has lasted, up to 15 minutes', async () => {
    await stop();
    const waits: unknown[] = [];
    for (const seconds of [60, 540, 3_000, 36_000]) {
      harness.advance(seconds);
      waits.push(await sender.send(request('a')));
    }
    expect(waits).toEqual([15_000, 150_000, 870_000, 870_000].map((afterMs) => ({ kind: 'retry', afterMs })));
  });

  it('is still refused or expired, because that needs no call', async () => {
    await stop();
    await sender.send(request('a', { notAfter: addMs(harness.now(), 10_000) }));
    harness.advance(11);

    expect(await sender.send(request('a', { notAfter: addMs(harness.now(), -1_000) }))).toEqual(DONE);
  });

  it('makes no probe of an open circuit breaker', async () => {
    harness.answers = [ANSWERS.noCredit];
    await sender.send(request('a'));
    await stop();
    harness.advance(6);

    expect(await sender.send(request('a'))).toMatchObject({ kind: 'retry' });

    expect(harness.calls).toHaveLength(1);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', probes: 0 });
  });

  it('opens no circuit breaker, however many requests wait', async () => {
    await stop();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await sender.send(request(id));
    await resume();
    harness.advance(5);

    expect(await sender.send(request('a'))).toEqual(DONE);

    expect(await harness.accountItem()).not.toHaveProperty('circuit');
  });
});

describe('a function that was sending when an operator stopped sending', () => {
  it('makes no call later than five seconds after the stop', async () => {
    await sender.send(request('a'));
    await stop();
    harness.advance(4.999);
    expect(await sender.send(request('b'))).toEqual(DONE);
    harness.advance(0.001);

    expect(await sender.send(request('c'))).toMatchObject({ kind: 'retry' });

    expect(harness.calls).toHaveLength(2);
  });

  it('claims no request whose contact check took longer', async () => {
    harness = await createSendHarness(tables, { rules: { contactCheck: 'beforeFirstTemplate' } });
    sender = harness.startFunction();
    await harness.optIn(USER);
    harness.checkAnswer = found;
    harness.duringCheck = async () => {
      await stop();
      harness.advance(6);
    };

    const claim = vi.spyOn(harness.sends, 'claim');

    expect(await sender.send(templateRequest({ requestId: 'a' }))).toMatchObject({ kind: 'retry' });

    expect([harness.checks.length, claim.mock.calls.length]).toEqual([1, 0]);
    expect(await harness.sendItem('a')).toMatchObject({ state: 'waiting' });
  });

  it('claims no request that waited for another call', async () => {
    await harness.openWindow('second');
    harness.answers = [
      async () => {
        await stop();
        return slowly(6)();
      },
    ];

    const claim = vi.spyOn(harness.sends, 'claim');

    const results = await Promise.all([
      sender.send(request('a')),
      sender.send(request('b', { platformContactId: 'second' })),
    ]);

    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['done', 'retry']);
    expect([claim.mock.calls.length, harness.calls.length]).toEqual([1, 1]);
  });

  it('gives back a claim that took longer, and makes no call', async () => {
    const { claim } = harness.sends;
    Object.assign(harness.sends, {
      claim: async (...parameters: Parameters<typeof claim>) => {
        const claimed = await claim(...parameters);
        await stop();
        harness.advance(6);
        return claimed;
      },
    });

    expect(await sender.send(request('a'))).toMatchObject({ kind: 'retry' });

    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem('a')).toMatchObject({
      state: 'waiting',
      outcome: expect.stringContaining('No call was made.'),
    });
  });

  it('sends no template after error 201', async () => {
    await harness.optIn(USER);
    harness.answers = [
      async () => {
        await stop();
        return slowly(6, ANSWERS.windowClosed)();
      },
    ];

    const template = { ruleNameOrId: 'hello', reason: 'payment' };
    expect(await sender.send(request('a', template))).toMatchObject({ kind: 'retry' });

    expect(harness.calls).toHaveLength(1);
    expect(await harness.sendItem('a')).toMatchObject({
      state: 'waiting',
      outcome: expect.stringContaining('No template was sent.'),
    });
  });
});

describe('a resumption', () => {
  it('is seen by a function within five seconds', async () => {
    await stop();
    await sender.send(request('a'));
    await resume();
    expect(await sender.send(request('a'))).toMatchObject({ kind: 'retry' });
    harness.advance(5);
    expect(await sender.send(request('a'))).toEqual(DONE);
  });
});
