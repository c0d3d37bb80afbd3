import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addOutcome,
  isSendProbeDue,
  isServed,
  NO_FAILURES,
  nextProbeAt,
  nextSendProbeAt,
  type OpenCircuit,
  openReason,
} from '../../../../lambdas/domain/circuit-breaker.ts';
import { addMs, msBetween } from '../../../../lambdas/domain/instant.ts';
import type { SendOutcome } from '../../../../lambdas/domain/send-outcome.ts';
import { NOW } from '../../../support/builders.ts';

const UNKNOWN: SendOutcome = { kind: 'uncertain', explanation: 'HTTP 502', isAnswered: false };
const BLOCKED: SendOutcome = { kind: 'not-done', cause: 'blocked', explanation: 'HTTP 403' };
const UNAVAILABLE: SendOutcome = { kind: 'not-done', cause: 'unavailable', explanation: 'HTTP 503' };
const SERVED: readonly SendOutcome[] = [
  { kind: 'accepted' },
  { kind: 'rejected', explanation: 'HTTP 400' },
  { kind: 'window-closed' },
];

interface Call {
  readonly outcome: SendOutcome;
  readonly contact: string;
}

/** Returns why the last call of a history opens the circuit breaker. */
const reasonAfter = (calls: readonly Call[]) => {
  const last = calls.at(-1);
  const failures = calls.reduce((before, { outcome, contact }) => addOutcome(before, outcome, contact), NO_FAILURES);
  return last && openReason(last.outcome, failures);
};
const calls = (outcome: SendOutcome, ...contacts: string[]) => contacts.map((contact) => ({ outcome, contact }));

describe('the circuit breaker opens', () => {
  it('after three unknown outcomes in a row, but not after two', () => {
    expect(reasonAfter(calls(UNKNOWN, 'a', 'a'))).toBeUndefined();
    expect(reasonAfter(calls(UNKNOWN, 'a', 'a', 'a'))).toBe('unreachable');
  });

  it('after blocked calls for three contacts, but not after any number for two', () => {
    expect(reasonAfter(calls(BLOCKED, 'a', 'b', 'a', 'b', 'a', 'b'))).toBeUndefined();
    expect(reasonAfter(calls(BLOCKED, 'a', 'b', 'c'))).toBe('unreachable');
  });

  it('immediately if there is no credit or the token is refused', () => {
    for (const cause of ['no-credit', 'token'] as const) {
      expect(reasonAfter([{ outcome: { kind: 'not-done', cause, explanation: '' }, contact: 'a' }])).toBe(cause);
    }
  });

  const outcome = fc.constantFrom(UNKNOWN, BLOCKED, UNAVAILABLE, ...SERVED);
  const history = fc.array(fc.record({ outcome, contact: fc.constantFrom('a', 'b', 'c', 'd') }), { maxLength: 30 });

  it('exactly when the calls since the last answer of the service require it, in any history', () => {
    fc.assert(
      fc.property(history, (made) => {
        const since = made.slice(made.findLastIndex((call) => isServed(call.outcome)) + 1);
        const unknown = since.filter((call) => call.outcome === UNKNOWN).length;
        const blocked = new Set(since.filter((call) => call.outcome === BLOCKED).map(({ contact }) => contact)).size;
        const last = made.at(-1)?.outcome;
        const isJustified = (last === UNKNOWN || last === BLOCKED) && (unknown >= 3 || blocked >= 3);
        expect(reasonAfter(made)).toBe(isJustified ? 'unreachable' : undefined);
      }),
    );
  });

  it('never for a service that reports that it is unavailable', () => {
    fc.assert(
      fc.property(history, (made) => {
        expect(reasonAfter([...made, { outcome: UNAVAILABLE, contact: 'a' }])).toBeUndefined();
      }),
    );
  });
});

describe('probes', () => {
  const minutes = (from: string, to: string) => msBetween(from, to) / 60_000;

  it('that send no message are at most five minutes apart', () => {
    expect([0, 1, 2, 10, 1_000].map((probes) => minutes(NOW, nextProbeAt(NOW, probes)))).toEqual([
      5 / 60,
      10 / 60,
      20 / 60,
      5,
      5,
    ]);
  });

  it('that send a request back off from a minute to an hour', () => {
    expect([0, 1, 2, 5, 6, 1_000].map((failed) => minutes(NOW, nextSendProbeAt(NOW, failed)))).toEqual([
      1, 2, 4, 32, 60, 60,
    ]);
  });

  it('send a request at most once an hour while contact checks fail', () => {
    const circuit: OpenCircuit = {
      state: 'open',
      reason: 'unreachable',
      why: 'HTTP 502',
      openedAt: NOW,
      nextProbeAt: NOW,
      probes: 0,
      failedSends: 0,
    };
    const sent: string[] = [];
    for (let minute = 0; minute <= 6 * 60; minute += 1) {
      const at = addMs(NOW, minute * 60_000);
      if (isSendProbeDue({ ...circuit, sendFailedAt: sent.at(-1) }, at)) sent.push(at);
    }
    expect(sent).toHaveLength(6);
  });
});
