import { describe, expect, it } from 'vitest';
import type { AddressedRequest } from '../../../../lambdas/domain/addressed-request.ts';
import { receiveFloorMs } from '../../../../lambdas/domain/backoff.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import type { ChatServiceAnswer } from '../../../../lambdas/domain/send-outcome.ts';
import { alarmHistory, alarmProperties } from '../../../support/alarm-evaluation.ts';
import { sendRequest } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { ANSWERS, createSendHarness } from '../../lambdas/send/send-harness.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const tables = testTables();
const alarm = accountAlarm();

function accountAlarm() {
  const alarms = Object.values(synthesizedStack('prod').template.findResources('AWS::CloudWatch::Alarm'));
  const found = alarms.map(({ Properties }) => Properties).find(({ MetricName }) => MetricName === 'AccountHeld');
  return alarmProperties.parse(found);
}

const HOUR_MS = 60 * 60 * 1000;
const MINUTE_MS = 60_000;

interface Hold {
  readonly answer: ChatServiceAnswer;
  /** How long the service gives this answer. */
  readonly hours: number;
  /** When requests are queued, in hours from the start of the hold. */
  readonly requestsAt: readonly number[];
  /** How long a request may wait. @default as long as SQS keeps it */
  readonly maxWaitHours?: number;
}

/**
 * Queues requests while the account is on hold, receives each of them as SQS would until it ends, and returns the
 * values of the alarm's metric. The times are relative to the start of the hold.
 */
const metricDuring = async ({ answer, hours, requestsAt, maxWaitHours }: Hold) => {
  const harness = await createSendHarness(tables, { rules: { defaultTemplate: { ruleNameOrId: 'hello' } } });
  const functions = [harness.startFunction(), harness.startFunction(), harness.startFunction()];
  const start = harness.now();
  const msSince = (instant: string) => Date.parse(instant) - Date.parse(start);
  const waiting: { request: AddressedRequest; queuedMs: number; dueMs: number; receives: number }[] = [];
  const put = (requestId: string, queuedMs: number) => {
    const notAfter = maxWaitHours === undefined ? undefined : addMs(start, queuedMs + maxWaitHours * HOUR_MS);
    const changes = { requestId, platformContactId: `user ${requestId}`, reason: 'payment' as const, notAfter };
    waiting.push({ request: sendRequest(changes), queuedMs, dueMs: queuedMs, receives: 0 });
  };
  // The account is in order for an hour before the hold, and for three hours after it: probes may be an hour apart.
  put('before', -HOUR_MS);
  for (const [index, hour] of requestsAt.entries()) put(`during-${index}`, hour * HOUR_MS);
  for (const { request } of waiting) await harness.optIn(request.platformContactId);

  const [endMs, holdMs] = [(hours + 3) * HOUR_MS, hours * HOUR_MS];
  let heldAtMs: number | undefined;
  let resumedAtMs: number | undefined;
  for (let step = 0; ; step += 1) {
    const next = waiting.filter(({ dueMs }) => dueMs < endMs).toSorted((one, other) => one.dueMs - other.dueMs)[0];
    if (next === undefined) break;
    harness.setNow(addMs(start, next.dueMs));
    const isOnHold = next.dueMs >= 0 && next.dueMs < holdMs;
    harness.answers = isOnHold ? [answer] : [];
    harness.checkAnswer = isOnHold
      ? answer
      : { kind: 'answered', httpStatus: 200, body: { problems: null, result: {} } };
    next.receives += 1;
    const result = await functions[step % functions.length]?.send(next.request);
    const isOpen = (await harness.accountItem())?.circuit === 'open';
    if (isOpen) heldAtMs ??= next.dueMs;
    else if (heldAtMs !== undefined) resumedAtMs ??= next.dueMs;
    if (result?.kind === 'retry') {
      const ageMs = next.dueMs - next.queuedMs;
      next.dueMs += Math.max(result.afterMs ?? 0, receiveFloorMs(next.receives, ageMs), 1_000);
    } else waiting.splice(waiting.indexOf(next), 1);
  }
  const samples = harness.samples
    .filter(({ name }) => name === 'AccountHeld')
    .map(({ at, value }) => ({ at: msSince(at), value }));
  return { samples, heldAtMs, resumedAtMs, endMs };
};

const HOURS = Array.from({ length: 10 }, (_, hour) => hour);

const HOLDS: readonly (readonly [string, Hold])[] = [
  ['no credit, with several requests', { answer: ANSWERS.noCredit, hours: 10, requestsAt: [0, 0.01, 1, 5, 5.01, 8] }],
  ['a refused token, with one request', { answer: ANSWERS.unauthorized, hours: 12, requestsAt: [0.5] }],
  [
    // Each probe that sends a request leaves it uncertain, so there must be others.
    'an unreachable service',
    { answer: ANSWERS.unknown, hours: 9, requestsAt: [...Array.from({ length: 12 }, () => 0), ...HOURS] },
  ],
  [
    'no credit, without any request for ten hours',
    { answer: ANSWERS.noCredit, hours: 14, requestsAt: [0, 12, 14.5], maxWaitHours: 2 },
  ],
  ['no credit, for less than an hour', { answer: ANSWERS.noCredit, hours: 0.5, requestsAt: [0, 0.1] }],
];

describe('the alarm of an account on hold', () => {
  it.each(HOLDS)('starts once and ends once: %s', async (_name, hold) => {
    const { samples, heldAtMs = Number.NaN, resumedAtMs = Number.NaN, endMs } = await metricDuring(hold);

    for (const extraPeriods of [0, 2, 10]) {
      // Evaluations start at any second of a minute.
      for (const offsetMs of [0, 17_000, 59_000]) {
        const history = alarmHistory(alarm, samples, { from: offsetMs - HOUR_MS, until: endMs, extraPeriods });
        const raised = history.filter(({ state }) => state === 'ALARM').map(({ at }) => at);
        const ended = history.filter(({ state, at }) => state === 'OK' && at > heldAtMs).map(({ at }) => at);

        expect([raised.length, ended.length], JSON.stringify(history)).toEqual([1, 1]);
        expect(raised[0]).toBeGreaterThan(heldAtMs);
        expect(raised[0]).toBeLessThanOrEqual(heldAtMs + 5 * MINUTE_MS);
        expect(ended[0]).toBeGreaterThan(resumedAtMs);
        expect(ended[0]).toBeLessThanOrEqual(resumedAtMs + 2 * MINUTE_MS);
      }
    }
  });
});
