import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactKey } from '../../../lambdas/domain/contact.ts';
import { parseSendRequest } from '../../../lambdas/domain/send-request.ts';
import { FAULTS } from '../world/faults.ts';
import { requestIdIn } from '../world/journal.ts';
import { ACT_WEIGHTS } from './draw-acts.ts';
import { addressesOf, CONTACT_KINDS } from './draw-contacts.ts';
import { drawHistory } from './draw-history.ts';
import type { Act, History } from './history.ts';

const anySeed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const HISTORIES = Array.from({ length: 200 }, (_, seed) => drawHistory(seed));

type Request = Extract<Act, { kind: 'request' }>;

const requestsOf = ({ acts }: History): readonly Request[] => acts.filter((act) => act.kind === 'request');

describe('a drawn history', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(drawHistory(7)).toEqual(drawHistory(7));
    expect(drawHistory(8)).not.toEqual(drawHistory(7));
  });

  it('can be stored as JSON', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const history = drawHistory(seed);
        expect(JSON.parse(JSON.stringify(history))).toEqual(history);
      }),
    );
  });

  it('has its acts in the order of their times', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const times = drawHistory(seed).acts.map(({ atMs }) => atMs);
        expect(times).toEqual(times.toSorted((one, other) => one - other));
        expect(times.every(Number.isInteger)).toBe(true);
      }),
    );
  });

  it('has requests that are valid, or malformed on purpose', () => {
    const parsed = HISTORIES.flatMap(requestsOf).map(({ body }) => parseSendRequest(body));
    const malformed = parsed.filter(({ kind }) => kind === 'malformed').length;
    expect(malformed).toBeGreaterThan(0);
    expect(malformed / parsed.length).toBeLessThan(0.1);
  });

  it('has requests that name themselves in what is sent', () => {
    for (const { body } of HISTORIES.flatMap(requestsOf)) {
      const parsed = parseSendRequest(body);
      // The text of a confirmation is the stage's own.
      if (parsed.kind === 'malformed' || parsed.request.confirmsOptOut) continue;
      const { requestId, platformContactId, reason, ...sent } = parsed.request;
      expect(requestIdIn(sent)).toBe(requestId);
      expect(requestIdIn(platformContactId)).toBe('none');
    }
  });

  it('never needs the client payload to name the request of a default template', () => {
    for (const { features } of HISTORIES) {
      if (features.rules.defaultTemplate) expect(features.rules.clientPayload).not.toBe('off');
    }
  });

  it('repeats requests with the same body, with another body, and in another group', () => {
    const repeated = HISTORIES.flatMap((history) => {
      const byId = Map.groupBy(
        requestsOf(history),
        ({ deduplicationId }) => deduplicationId.split(/-(?=again|changed)/)[0],
      );
      return [...byId.values()].filter(({ length }) => length > 1);
    });
    const differIn = (field: 'body' | 'groupId' | 'deduplicationId' | 'via') =>
      repeated.filter((requests) => new Set(requests.map((request) => request[field])).size > 1).length;
    expect(differIn('body')).toBeGreaterThan(20);
    expect(differIn('groupId')).toBeGreaterThan(20);
    expect(differIn('deduplicationId')).toBeGreaterThan(20);
    expect(differIn('via')).toBeGreaterThan(20);
  });

  it('has every kind of act, and every fault, in some history, and none in every', () => {
    const countOf = (isIn: (history: History) => boolean) => HISTORIES.filter(isIn).length;
    for (const kind of Object.keys(ACT_WEIGHTS)) {
      const count = countOf(({ acts }) => acts.some((act) => act.kind === kind));
      expect([kind, count > 20, count < 200]).toEqual([kind, true, true]);
    }
    for (const fault of FAULTS) {
      const count = countOf(({ features }) => features.faultRates[fault] !== undefined);
      expect([fault, count > 20, count < 200]).toEqual([fault, true, true]);
    }
  });

  it('has every feature in some history', () => {
    const drawn = (value: (history: History) => unknown) => new Set(HISTORIES.map(value));
    expect(drawn(({ features }) => features.windowPer)).toEqual(new Set(['user', 'channel']));
    expect(drawn(({ features }) => features.delivery.envelope)).toEqual(
      new Set([undefined, 'without-publish-time', 'none']),
    );
    expect(drawn(({ features }) => features.content)).toEqual(new Set([true, false]));
    expect(drawn(({ features }) => Math.sign(features.clockAheadMs))).toEqual(new Set([-1, 0, 1]));
    expect(drawn(({ features }) => (features.rareCallFaultRate ?? 0) > 0)).toEqual(new Set([true, false]));
    expect(drawn(({ features }) => features.flakyCall !== undefined)).toEqual(new Set([true, false]));
    expect(drawn(({ features }) => (features.chatService?.closesEarlyMs ?? 0) > 0)).toEqual(new Set([true, false]));
    expect(drawn(({ features }) => features.chatService?.answersIntentsWithoutId)).toEqual(
      new Set([undefined, true, false]),
    );
    expect(drawn(({ features }) => (features.chatService?.unknownStatusRate ?? 0) > 0)).toEqual(new Set([true, false]));
    expect(drawn(({ features }) => (features.chatService?.echoRate ?? 0) > 0)).toEqual(new Set([true, false]));
    expect(drawn(({ features }) => features.delivery.lateRate > 0)).toEqual(new Set([true, false]));
    expect(drawn(({ features }) => features.rules.clientPayload)).toEqual(new Set(['off', 'intent', 'all']));
    expect(drawn(({ features }) => features.rules.defaultTemplate?.ruleNameOrId).size).toBe(3);
  });

  it('has few contacts or many, and gaps from milliseconds to weeks', () => {
    const contacts = HISTORIES.map(
      ({ acts }) => new Set(acts.map((act) => ('contact' in act ? act.contact : ''))).size,
    );
    expect(Math.min(...contacts)).toBeLessThan(4);
    expect(Math.max(...contacts)).toBeGreaterThan(20);
    const gaps = HISTORIES.map(({ acts }) => acts.slice(1).map(({ atMs }, index) => atMs - (acts[index]?.atMs ?? 0)));
    const medians = gaps.map((of) => of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)] ?? 0);
    expect(Math.min(...medians)).toBeLessThan(1_000);
    expect(Math.max(...medians)).toBeGreaterThan(60_000);
    expect(Math.max(...gaps.flat())).toBeGreaterThan(10 * 24 * 60 * 60 * 1000);
  });

  it('writes to a contact around the end of its window', () => {
    const edges = HISTORIES.filter(({ acts }) =>
      acts.some((act) => {
        if (act.kind !== 'user-writes') return false;
        const end = act.atMs + 24 * 60 * 60 * 1000;
        return acts.some((other) => other.kind === 'request' && Math.abs(other.atMs - end) < 700_000);
      }),
    );
    expect(edges.length).toBeGreaterThan(50);
  });
});

describe('the addresses of a drawn contact', () => {
  it.each(CONTACT_KINDS)('share a key with each other and with no other contact: %s', (kind) => {
    const keys = Array.from({ length: 40 }, (_, index) => new Set(addressesOf(kind, index).map(contactKey)));
    expect(keys.map(({ size }) => size)).toEqual(keys.map(() => 1));
    expect(new Set(keys.flatMap((key) => [...key])).size).toBe(40);
  });
});
