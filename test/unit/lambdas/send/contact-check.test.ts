import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import { templateRequest, USER } from '../../../support/builders.ts';
import { type EmulatedTables, startEmulatedTables } from '../aws/emulated-table.ts';
import { createSendHarness, queued, type SendHarness } from './send-harness.ts';

const PROPER = '541155550000';
const found = (...numbers: readonly string[]): ChatServiceAnswer => ({
  kind: 'answered',
  httpStatus: 200,
  body: { problems: null, result: Object.fromEntries(numbers.map((number) => [number, PROPER])) },
});
const DAY = 24 * 3600;

let tables: EmulatedTables;
let harness: SendHarness;
let send: ReturnType<SendHarness['newFunction']>;

beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  harness = await createSendHarness(tables, { contactCheck: 'beforeFirstTemplate' });
  send = harness.newFunction();
  await harness.optIn(USER);
});

const contactOf = async () => (await harness.items())['CONTACT#chat#*#541155550000 CONTACT'];
const template = (requestId = 'request-1', changes: Record<string, unknown> = {}) =>
  queued(templateRequest({ requestId, ...changes }));

describe('before a template opens a conversation', () => {
  it('the number is checked, remembered, and sent to in its proper format', async () => {
    harness.checkAnswer = found(USER);
    expect(await send(template())).toEqual({ kind: 'done' });
    expect(harness.checks).toEqual([[USER]]);
    expect(harness.calls).toMatchObject([{ endpoint: 'intent/v2', body: { platformContactId: `+${PROPER}` } }]);
    expect(await contactOf()).toMatchObject({ checkedAt: harness.now(), checkedAddress: PROPER });
  });

  it('it is checked once in thirty days', async () => {
    harness.checkAnswer = found(USER);
    await send(template('one'));
    harness.advance(29 * DAY);
    await send(template('two'));
    expect(harness.checks).toHaveLength(1);
    harness.advance(2 * DAY);
    await send(template('three'));
    expect(harness.checks).toHaveLength(2);
  });

  it('a number that is not on the platform is refused, without a call, and asked for again after a day', async () => {
    expect(await send(template('one'))).toEqual({ kind: 'done' });
    await send(template('two'));
    expect(await harness.sendItem('one')).toMatchObject({ state: 'refused', code: 'NOT_ON_PLATFORM' });
    expect(await harness.sendItem('two')).toMatchObject({ state: 'refused', code: 'NOT_ON_PLATFORM' });
    expect(harness.checks).toHaveLength(1);
    harness.advance(DAY);
    harness.checkAnswer = found(USER);
    await send(template('three'));
    expect(await harness.sendItem('three')).toMatchObject({ state: 'accepted' });
    expect(harness.calls).toHaveLength(1);
  });

  it('a user who wrote lately is not checked', async () => {
    await harness.optIn(USER, { lastInboundAt: '2026-11-10T12:00:00.000Z', address: '5491155550000' });
    await send(template());
    expect(harness.checks).toEqual([]);
    expect(harness.calls).toMatchObject([{ body: { platformContactId: '5491155550000' } }]);
  });

  it('a batch is checked in two calls: one number, then those that were asked for meanwhile', async () => {
    // The first call after a pause goes alone, so it is made before.
    harness.checkAnswer = found(USER);
    await send(template('first'));
    const users = Array.from({ length: 9 }, (_, index) => `+54911555500${10 + index}`);
    for (const user of users) await harness.optIn(user);
    harness.checkAnswer = found(...users);
    harness.checkTakesMs = 100;
    await Promise.all(users.map((user) => send(template(user, { platformContactId: user }))));
    expect(harness.checks.slice(1).flat().toSorted()).toEqual(users);
    expect(harness.checks.slice(1)).toHaveLength(2);
    expect(harness.calls).toHaveLength(10);
  });

  it.each([
    { kind: 'not-sent', cause: 'ECONNREFUSED' },
    { kind: 'unknown', cause: 'ECONNRESET' },
    { kind: 'answered', httpStatus: 503, body: undefined },
  ] satisfies ChatServiceAnswer[])('the request waits while the check cannot be had: %j', async (answer) => {
    harness.checkAnswer = answer;
    expect(await send(template())).toEqual({ kind: 'again', afterMs: 8_000 });
    expect(harness.calls).toEqual([]);
  });

  it('the request goes on without the check where the service refuses it', async () => {
    harness.checkAnswer = { kind: 'answered', httpStatus: 404, body: undefined };
    expect(await send(template())).toEqual({ kind: 'done' });
    expect(harness.calls).toMatchObject([{ body: { platformContactId: USER } }]);
    expect(harness.counted).toContain('ContactCheckRefused');
  });
});
