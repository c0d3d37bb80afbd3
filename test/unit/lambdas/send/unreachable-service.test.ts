import { beforeEach, describe, expect, it } from 'vitest';
import { addMs, msBetween } from '../../../../lambdas/domain/instant.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import type { SendRequest } from '../../../../lambdas/domain/send-request.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { createAccountView } from '../../../../lambdas/send/account-view.ts';
import { ACCOUNT, claim, queuedSend, sendRequest, sendResult, templateRequest } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness, type RunningSend, type SendHarness } from './send-harness.ts';

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables, { rules: { defaultTemplate: { ruleNameOrId: 'hello' } } });
  sender = harness.startFunction();
});

const ids = (count: number, prefix = 'r') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const request = (requestId: string, changes: Record<string, unknown> = {}) =>
  sendRequest({ requestId, platformContactId: `user ${requestId}`, reason: 'payment', ...changes });
const optIn = async (requestIds: readonly string[]) => {
  for (const requestId of requestIds) await harness.optIn(`user ${requestId}`);
};
const answerAlways = (answer: ChatServiceAnswer, calls = 1_000) => {
  harness.answers = Array.from({ length: calls }, () => answer);
};
const statesOf = async (requestIds: readonly string[]) => {
  const items = await Promise.all(requestIds.map((id) => harness.sendItem(id)));
  return Object.groupBy(items, (item) => String(item?.state));
};
/** Lets a service that answers 502 open the circuit breaker. */
const openCircuit = async () => {
  await optIn(ids(4));
  answerAlways(ANSWERS.badGateway);
  harness.checkAnswer = ANSWERS.badGateway;
  for (const id of ids(3)) await sender.send(request(id));
  harness.calls.length = 0;
};
const probeAt = async () => String((await harness.accountItem())?.nextProbeAt);
/** Sends a request at the time of the next probe. */
const probe = async (requestId: string) => {
  harness.setNow(await probeAt());
  return sender.send(request(requestId));
};

describe('an outage', () => {
  it.each([
    ['502', ANSWERS.badGateway],
    ['no answer', ANSWERS.unknown],
  ])('with %s leaves three of a hundred queued requests uncertain, and the others waiting', async (_case, answer) => {
    const queued = ids(100);
    await optIn(queued);
    answerAlways(answer);
    harness.checkAnswer = ANSWERS.badGateway;
    for (let start = 0; start < 100; start += 10) {
      await Promise.all(queued.slice(start, start + 10).map((id) => sender.send(request(id))));
    }
    const { uncertain = [], waiting = [] } = await statesOf(queued);
    expect([uncertain.length, waiting.length]).toEqual([3, 97]);
    expect(harness.calls).toHaveLength(3);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', reason: 'unreachable' });
    expect(harness.samples.findLast(({ name }) => name === 'AccountHeld')).toMatchObject({ value: 1 });
  });

  it('leaves three requests uncertain if they come from both queues', async () => {
    const accountView = createAccountView();
    const handlers = [harness.startFunction(accountView), harness.startFunction(accountView)];
    const queued = ids(10);
    await optIn(queued);
    answerAlways(ANSWERS.badGateway);
    harness.checkAnswer = ANSWERS.badGateway;
    for (const [index, id] of queued.entries()) await handlers[index % 2]?.send(request(id));
    const { uncertain = [], waiting = [] } = await statesOf(queued);
    expect([uncertain.length, waiting.length]).toEqual([3, 7]);
  });

  it('leaves only the calls in flight when it starts uncertain', async () => {
    // Nine answers have widened the limit to ten calls.
    const before = ids(9, 'before');
    const during = ids(30, 'during');
    await optIn([...before, ...during]);
    for (const id of before) await sender.send(request(id));
    answerAlways(ANSWERS.badGateway);
    await Promise.all(during.map((id) => sender.send(request(id))));
    const { uncertain = [], waiting = [] } = await statesOf(during);
    expect([uncertain.length, waiting.length]).toEqual([10, 20]);
  });

  it('costs at most two more calls per function when few are in flight', async () => {
    const before = ids(1, 'before');
    const during = ids(30, 'during');
    await optIn([...before, ...during]);
    for (const id of before) await sender.send(request(id));
    answerAlways(ANSWERS.badGateway);
    await Promise.all(during.map((id) => sender.send(request(id))));
    expect((await statesOf(during)).uncertain).toHaveLength(3);
  });

  it('costs no call of a function that starts later', async () => {
    await openCircuit();
    const other = harness.startFunction();
    await optIn(['a', 'b']);
    await other.send(request('a'));
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem('a')).toMatchObject({ state: 'waiting' });
  });

  it('makes a request that says resend wait, and resends it once the circuit breaker is closed', async () => {
    await optIn(['r']);
    answerAlways(ANSWERS.badGateway, 3);
    harness.checkAnswer = ANSWERS.badGateway;
    const resent = request('r', { onUncertain: 'resend' });
    for (const _attempt of [1, 2]) expect(await sender.send(resent)).toMatchObject({ kind: 'retry' });
    // The third unknown outcome opens it, and the request waits for the circuit breaker instead of its own backoff.
    expect(await sender.send(resent)).toEqual({ kind: 'retry', afterMs: 5_000 });
    expect(await sender.send(resent)).toEqual({ kind: 'retry', afterMs: 5_000 });
    expect(await harness.sendItem('r')).toMatchObject({ state: 'uncertain', attempts: 3 });
    harness.setNow(await probeAt());
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    expect(await sender.send(resent)).toEqual(DONE);
    expect(await harness.sendItem('r')).toMatchObject({ state: 'accepted', attempts: 4, unknownOutcomes: 3 });
  });
});

describe('an uncertain request that meets an open circuit breaker', () => {
  beforeEach(openCircuit);

  const putUncertain = async (changes: Partial<SendRequest>, result = sendResult('uncertain')) => {
    const uncertain = request('u', changes);
    await optIn(['u']);
    await harness.sends.claim(queuedSend(uncertain), claim(), { resend: false });
    await harness.sends.recordResult('u', 'claim-1', result);
    return uncertain;
  };

  it('is only acknowledged if it does not, or if it was answered with a 2xx', async () => {
    expect(await sender.send(await putUncertain({}))).toEqual(DONE);
    harness = await createSendHarness(tables, { rules: { defaultTemplate: { ruleNameOrId: 'hello' } } });
    sender = harness.startFunction();
    await openCircuit();
    const answered = { state: 'uncertain', at: harness.now(), outcome: 'HTTP 200', isAnswered: true } as const;
    expect(await sender.send(await putUncertain({ onUncertain: 'resend' }, answered))).toEqual(DONE);
  });
});

describe('a firewall that answers 403 without the error body of the contract', () => {
  it('makes all requests wait after three calls, without dead letters', async () => {
    const queued = ids(30);
    await optIn(queued);
    answerAlways(ANSWERS.blocked);
    for (const id of queued) await sender.send(request(id));
    expect((await statesOf(queued)).waiting).toHaveLength(30);
    expect([harness.calls.length, harness.deadLetters]).toEqual([3, []]);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', reason: 'unreachable' });
  });

  it('does not stop the stage if it blocks the messages for one contact', async () => {
    await optIn(['a', 'b']);
    answerAlways(ANSWERS.blocked, 20);
    for (let attempt = 0; attempt < 20; attempt += 1) await sender.send(request('a'));
    expect(await harness.accountItem()).toBeUndefined();
    expect(await sender.send(request('b'))).toEqual(DONE);
  });

  it('does not stop the stage if requests are accepted in between', async () => {
    const queued = ids(12);
    await optIn(queued);
    harness.answers = queued.map((_, index) => (index % 3 === 2 ? ANSWERS.accepted : ANSWERS.blocked));
    for (const id of queued) await sender.send(request(id));
    expect(await harness.accountItem()).toBeUndefined();
  });
});

describe('a probe of an unreachable service', () => {
  beforeEach(openCircuit);

  it("is a contact check of the business's own number, and no request is sent while it fails", async () => {
    harness.checks.length = 0;
    expect(await probe('r3')).toMatchObject({ kind: 'retry' });
    expect([harness.checkedChannels.at(-1), harness.checks]).toEqual([ACCOUNT.channel, [[ACCOUNT.channel]]]);
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem('r3')).toMatchObject({ state: 'waiting' });
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', reason: 'unreachable', failedSends: 0 });
  });

  it.each([
    ['a result', { kind: 'answered', httpStatus: 200, body: { problems: null, result: {} } }],
    ["the contract's error body", { kind: 'answered', httpStatus: 403, body: { error: { code: 9, message: 'x' } } }],
    ['401', { kind: 'answered', httpStatus: 401, body: undefined }],
    ['404: its path may be wrong', { kind: 'answered', httpStatus: 404, body: undefined }],
  ] satisfies [string, ChatServiceAnswer][])('sends one request if the check answers %s', async (_case, answer) => {
    harness.checkAnswer = answer;
    harness.answers = [];
    expect(await probe('r3')).toEqual(DONE);
    expect(harness.calls).toHaveLength(1);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed' });
    expect(harness.counted).toContain('AccountResumed');
  });

  it('closes the circuit breaker with any answer of the service, such as a rejection', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    harness.answers = [ANSWERS.invalidChannel];
    await probe('r3');
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed' });
  });

  it('also closes it with error 201 for a request that has no template', async () => {
    harness = await createSendHarness(tables);
    sender = harness.startFunction();
    for (const id of ids(4)) await harness.openWindow(`user ${id}`);
    answerAlways(ANSWERS.badGateway, 3);
    for (const id of ids(3)) await sender.send(request(id));
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    harness.answers = [ANSWERS.windowClosed];
    await probe('r3');
    expect(await harness.sendItem('r3')).toMatchObject({ state: 'refused', code: 'WINDOW_CLOSED' });
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed' });
  });

  it('backs off from a minute to an hour if the requests that it sends fail', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    const probed = ids(8, 'probe');
    await optIn(probed);
    const waits: number[] = [];
    for (const id of probed) {
      await probe(id);
      waits.push(msBetween(harness.now(), await probeAt()) / 60_000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect((await statesOf(probed)).uncertain).toHaveLength(8);
  });

  it('changes the reason if the service reports that there is no credit', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    harness.answers = [ANSWERS.noCredit];
    await probe('r3');
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', reason: 'no-credit' });
  });

  it('sends one request an hour even if the check fails permanently, so that the circuit breaker can close', async () => {
    const openedAt = String((await harness.accountItem())?.openedAt);
    harness.answers = [];
    let probes = 0;
    while (harness.calls.length === 0 && probes < 100) {
      await probe('r3');
      probes += 1;
    }
    expect(msBetween(openedAt, harness.now()) / 60_000).toBeGreaterThanOrEqual(60);
    expect(msBetween(openedAt, harness.now()) / 60_000).toBeLessThanOrEqual(65);
    expect(await harness.sendItem('r3')).toMatchObject({ state: 'accepted' });
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed' });
  });

  it('is returned if its request needs no call, and the next request probes at once', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    harness.answers = [];
    harness.setNow(await probeAt());
    // Another function ends the request while this one waits for its probe.
    harness.duringCheck = async () => {
      harness.duringCheck = async () => {};
      await harness.sends.recordWithoutCall(queuedSend(request('r3')), {
        state: 'expired',
        at: harness.now(),
        decision: 'notAfter has passed.',
      });
    };
    expect(await sender.send(request('r3'))).toEqual(DONE);
    expect(harness.calls).toEqual([]);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', nextProbeAt: harness.now() });
    await optIn(['next']);
    expect(await harness.startFunction().send(request('next'))).toEqual(DONE);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed' });
  });

  it('is returned if another function has claimed its request, which waits only for the lease of that claim', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    harness.setNow(await probeAt());
    const claimedAt = harness.now();
    await harness.sends.claim(queuedSend(request('r3')), claim({ claimedAt, leaseUntil: addMs(claimedAt, 90_000) }), {
      resend: false,
    });
    expect(await sender.send(request('r3'))).toEqual({ kind: 'retry', afterMs: 90_000 });
    expect(harness.calls).toEqual([]);
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', nextProbeAt: claimedAt });
  });

  it('is made by one request of a batch: the others wait', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    answerAlways(ANSWERS.badGateway);
    const batch = ids(10, 'batch');
    await optIn(batch);
    harness.setNow(await probeAt());
    await Promise.all(batch.map((id) => sender.send(request(id))));
    const { uncertain = [], waiting = [] } = await statesOf(batch);
    expect([uncertain.length, waiting.length]).toEqual([1, 9]);
  });
});

describe('failing contact checks', () => {
  beforeEach(async () => {
    harness = await createSendHarness(tables, {
      rules: { defaultTemplate: { ruleNameOrId: 'hello' }, contactCheck: 'beforeFirstTemplate' },
    });
    sender = harness.startFunction();
    harness.checkAnswer = ANSWERS.unknown;
  });
  const sendTemplates = async (users: readonly string[]) => {
    for (const user of users) {
      await harness.optIn(user);
      await sender.send(templateRequest({ requestId: user, platformContactId: user }));
      harness.advance(6);
    }
  };
  const users = Array.from({ length: 4 }, (_, index) => `+549115555001${index}`);

  it('let templates wait, but do not stop the stage: requests without a check are sent', async () => {
    await sendTemplates(users);
    for (const user of users) expect(await harness.sendItem(user)).toMatchObject({ state: 'waiting' });
    expect(await harness.accountItem()).toBeUndefined();
    await harness.openWindow('user free-form');
    expect(await sender.send(request('free-form'))).toEqual(DONE);
    expect(await harness.sendItem('free-form')).toMatchObject({ state: 'accepted' });
  });

  it('do not keep the circuit breaker open: a template probes it without the check, once an hour', async () => {
    await openCircuit();
    harness.answers = [];
    await sendTemplates(users.slice(0, 1));
    expect(harness.calls).toEqual([]);
    for (let minutes = 0; minutes < 70; minutes += 5) {
      harness.advance(300);
      await sendTemplates(users.slice(0, 1));
    }
    expect(await harness.accountItem()).toMatchObject({ circuit: 'closed' });
    expect(await harness.sendItem(users[0])).toMatchObject({ state: 'accepted' });
  });
});

describe('a function', () => {
  it('starts with one call at a time, adds one after each answer, and returns to one after five seconds without any', async () => {
    /** Returns how many calls were in flight at most. Each is answered once `expected` have been. */
    const most = async (batch: readonly string[], expected: number) => {
      let running = 0;
      let peak = 0;
      await optIn(batch);
      harness.answers = batch.map(() => async () => {
        running += 1;
        peak = Math.max(peak, running);
        do await new Promise((resolve) => setImmediate(resolve));
        while (peak < expected);
        running -= 1;
        return ANSWERS.accepted;
      });
      await Promise.all(batch.map((id) => sender.send(request(id))));
      return peak;
    };
    const first = await most(ids(1, 'first'), 1);
    const wide = await most(ids(40, 'wide'), 2);
    expect(first).toBe(1);
    expect(wide).toBeLessThanOrEqual(10);
    harness.advance(5);
    expect(await most(ids(1, 'later'), 1)).toBe(1);
  });

  it('reads the contact again after a wait, so that it respects a later opt-out', async () => {
    await optIn(['a', 'b']);
    const late = Promise.withResolvers<void>();
    harness.answers = [() => late.promise.then(() => ANSWERS.accepted)];
    const first = sender.send(request('a'));
    await expect.poll(() => harness.calls.length).toBe(1);
    const second = sender.send(request('b'));
    await harness.putContact('user b', {
      optInAt: '2026-01-01T00:00:00.000Z',
      optOutAt: addMs(harness.now(), 1_000),
    });
    harness.advance(10);
    late.resolve();
    await Promise.all([first, second]);
    expect(await harness.sendItem('b')).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
    expect(harness.calls).toHaveLength(1);
  });

  it('also reads it again before a contact check, so that it does not check who has opted out', async () => {
    harness = await createSendHarness(tables, { rules: { contactCheck: 'beforeFirstTemplate' } });
    sender = harness.startFunction();
    const number = '+5491155550011';
    await harness.openWindow('user a');
    await harness.optIn(number);
    const late = Promise.withResolvers<void>();
    harness.answers = [() => late.promise.then(() => ANSWERS.accepted)];
    const first = sender.send(request('a'));
    await expect.poll(() => harness.calls.length).toBe(1);
    const second = sender.send(templateRequest({ requestId: 'b', platformContactId: number }));
    await harness.putContact(number, {
      optInAt: '2026-01-01T00:00:00.000Z',
      optOutAt: addMs(harness.now(), 1_000),
    });
    harness.advance(10);
    late.resolve();
    await Promise.all([first, second]);
    expect(await harness.sendItem('b')).toMatchObject({ state: 'refused', code: 'OPTED_OUT' });
    expect(harness.checks).toEqual([]);
  });
});
