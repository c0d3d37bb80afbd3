import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { msBetween } from '../../../../../lambdas/domain/instant.ts';
import type { ChatServiceAnswer } from '../../../../../lambdas/domain/send-outcome.ts';
import { templateRequest, USER } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createSendHarness, type RunningSend, type SendHarness } from '../send-harness.ts';

const PROPER_FORMAT = '541155550000';
const found = (...numbers: readonly string[]): ChatServiceAnswer => ({
  kind: 'answered',
  httpStatus: 200,
  body: { problems: null, result: Object.fromEntries(numbers.map((number) => [number, PROPER_FORMAT])) },
});
const DAY_SECONDS = 24 * 3600;

const tables = testTables();
let harness: SendHarness;
let sender: RunningSend;

beforeEach(async () => {
  harness = await createSendHarness(tables, { rules: { contactCheck: 'beforeFirstTemplate' } });
  sender = harness.startFunction();
  await harness.optIn(USER);
});

const template = (requestId = 'request-1', changes: Record<string, unknown> = {}) =>
  templateRequest({ requestId, ...changes });

describe('before a template opens a conversation', () => {
  it('checks the number, records the result, and sends to the proper format', async () => {
    harness.checkAnswer = found(USER);
    expect(await sender.send(template())).toEqual({ kind: 'done' });
    expect(harness.checks).toEqual([[USER]]);
    expect(harness.calls).toMatchObject([{ endpoint: 'intent/v2', body: { platformContactId: `+${PROPER_FORMAT}` } }]);
    expect(await harness.item('CONTACT#chat#*#541155550000 CHECK')).toMatchObject({
      checkedAt: harness.now(),
      checkedAddress: PROPER_FORMAT,
    });
  });

  it('does not send to the proper format of an expired check, even before DynamoDB deletes it', async () => {
    harness.checkAnswer = found(USER);
    await sender.send(template('one'));
    harness.advance(90 * DAY_SECONDS);
    await harness.openWindow(USER, { lastInboundAt: harness.now() });
    await sender.send(template('two'));
    expect(harness.calls.map(({ body }) => body.platformContactId)).toEqual([`+${PROPER_FORMAT}`, '5491155550000']);
    expect(await harness.item('CONTACT#chat#*#541155550000 CHECK')).toBeDefined();
  });

  it('checks a number once in thirty days', async () => {
    harness.checkAnswer = found(USER);
    await sender.send(template('one'));
    harness.advance(29 * DAY_SECONDS);
    await sender.send(template('two'));
    expect(harness.checks).toHaveLength(1);
    harness.advance(2 * DAY_SECONDS);
    await sender.send(template('three'));
    expect(harness.checks).toHaveLength(2);
  });

  it('refuses a number that is not on the platform, without a call, and checks it again after a day', async () => {
    expect(await sender.send(template('one'))).toEqual({ kind: 'done' });
    await sender.send(template('two'));
    expect(await harness.sendItem('one')).toMatchObject({ state: 'refused', code: 'NOT_ON_PLATFORM' });
    expect(await harness.sendItem('two')).toMatchObject({ state: 'refused', code: 'NOT_ON_PLATFORM' });
    expect(harness.checks).toHaveLength(1);
    harness.advance(DAY_SECONDS);
    harness.checkAnswer = found(USER);
    await sender.send(template('three'));
    expect(await harness.sendItem('three')).toMatchObject({ state: 'accepted' });
    expect(harness.calls).toHaveLength(1);
  });

  it('does not check a user who wrote recently', async () => {
    await harness.openWindow(USER, { lastInboundAt: '2026-11-10T12:00:00.000Z' });
    await sender.send(template());
    expect(harness.checks).toEqual([]);
    expect(harness.calls).toMatchObject([{ body: { platformContactId: '5491155550000' } }]);
  });

  it('checks a batch in two calls: the first number, then those requested meanwhile', async () => {
    harness.checkAnswer = found(USER);
    // A function starts with one call at a time and makes one more after each that is answered.
    for (const id of Array.from({ length: 9 }, (_, index) => `before ${index}`)) await sender.send(template(id));
    const users = Array.from({ length: 9 }, (_, index) => `+54911555500${10 + index}`);
    for (const user of users) await harness.optIn(user);
    harness.checkAnswer = found(...users);
    harness.duringCheck = () => pause(100);
    await Promise.all(users.map((user) => sender.send(template(user, { platformContactId: user }))));
    expect(harness.checks.slice(1).flat().toSorted()).toEqual(users);
    expect(harness.checks.slice(1)).toHaveLength(2);
    expect(harness.calls).toHaveLength(18);
  });

  it.each([
    { kind: 'not-sent', cause: 'ECONNREFUSED' },
    { kind: 'unknown', cause: 'ECONNRESET' },
    { kind: 'answered', httpStatus: 503, body: undefined },
  ] satisfies ChatServiceAnswer[])('waits while the check is unavailable, and records it: %j', async (answer) => {
    harness.checkAnswer = answer;
    expect(await sender.send(template())).toEqual({ kind: 'retry', afterMs: 8_000 });
    expect(harness.calls).toEqual([]);
    expect(await harness.sendItem()).toMatchObject({
      state: 'waiting',
      decision: expect.stringContaining('could not be checked on the platform'),
    });
  });

  it('waits as long as Retry-After says, but at least for its own backoff', async () => {
    harness.checkAnswers = ['0', '600'].map((retryAfter) => ({
      kind: 'answered',
      httpStatus: 429,
      body: undefined,
      retryAfter,
    }));
    expect(await sender.send(template())).toEqual({ kind: 'retry', afterMs: 8_000 });
    harness.advance(8);
    expect(await sender.send(template())).toEqual({ kind: 'retry', afterMs: 600_000 });
  });

  it.each([
    ['token', { kind: 'answered', httpStatus: 401, body: undefined }],
    ['no-credit', { kind: 'answered', httpStatus: 403, body: { error: { code: 101, message: 'No credit' } } }],
  ] as const)('opens the circuit breaker if the check is refused for the reason %s', async (reason, answer) => {
    harness.checkAnswer = answer;
    expect(await sender.send(template())).toEqual({ kind: 'retry', afterMs: 5_000 });
    expect(await harness.accountItem()).toMatchObject({ circuit: 'open', reason });
    expect(await harness.sendItem()).toMatchObject({ state: 'waiting' });
    expect(await sender.send(template('two'))).toEqual({ kind: 'retry', afterMs: 5_000 });
    expect([harness.checks.length, harness.calls.length]).toEqual([1, 0]);
  });

  it('makes one call in five seconds for a whole batch while the check is unavailable', async () => {
    const users = Array.from({ length: 10 }, (_, index) => `+54911555500${10 + index}`);
    for (const user of users) await harness.optIn(user);
    harness.checkAnswer = { kind: 'answered', httpStatus: 503, body: undefined };
    harness.duringCheck = async () => harness.advance(9);
    const before = harness.now();
    const sendAll = () => Promise.all(users.map((user) => sender.send(template(user, { platformContactId: user }))));
    expect(await sendAll()).toEqual(users.map(() => ({ kind: 'retry', afterMs: 8_000 })));
    expect([harness.checks.length, msBetween(before, harness.now())]).toEqual([1, 9_000]);
    for (const user of users) expect(await harness.sendItem(user)).toMatchObject({ state: 'waiting' });
    harness.advance(5);
    await sendAll();
    expect(harness.checks).toHaveLength(2);
  });

  it('checks numbers in the format of the settings, and finds them in the answer by their digits', async () => {
    harness = await createSendHarness(tables, {
      rules: { contactCheck: 'beforeFirstTemplate', numberFormat: 'digits' },
    });
    await harness.optIn(USER);
    harness.checkAnswer = found('+54 9 11 5555-0000');
    await harness.startFunction().send(template());
    expect([harness.checkedChannels, harness.checks]).toEqual([['5491100000000'], [['5491155550000']]]);
    expect(harness.calls).toMatchObject([{ body: { platformContactId: PROPER_FORMAT } }]);
  });

  it('sends without the check if the answer contains only other numbers', async () => {
    harness.checkAnswer = found('+5491155559999');
    await sender.send(template());
    expect(await harness.sendItem()).toMatchObject({ state: 'accepted' });
    expect(harness.counted).toContain('ContactCheckRejected');
  });

  it('does not check an id that is not a phone number', async () => {
    await harness.optIn('CO.1000123');
    await sender.send(template('one', { platformContactId: 'CO.1000123' }));
    expect(harness.checks).toEqual([]);
    expect(await harness.sendItem('one')).toMatchObject({ state: 'accepted' });
  });

  it('sends without the check when the chat service rejects it', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    expect(await sender.send(template())).toEqual({ kind: 'done' });
    expect(harness.calls).toMatchObject([{ body: { platformContactId: USER } }]);
    expect(harness.counted).toContain('ContactCheckRejected');
  });
});
