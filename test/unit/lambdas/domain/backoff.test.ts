import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, LAST_RECEIVE, parseRetryAfterMs, receiveFloorMs } from '../../../../lambdas/domain/backoff.ts';

describe('backoffMs', () => {
  it('doubles from one second up to 15 minutes, with at most 30 seconds of jitter', () => {
    expect([1, 2, 3, 11, 1000].map((attempt) => backoffMs(attempt, 0))).toEqual([500, 1_000, 2_000, 870_000, 870_000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          expect(backoffMs(attempt, random)).toBeGreaterThanOrEqual(backoffMs(attempt, 0));
          expect(backoffMs(attempt, random)).toBeLessThanOrEqual(15 * 60 * 1000);
        },
      ),
    );
  });

  it('makes the 1,000 receives of a queue last for more than ten days on average', () => {
    const waits = Array.from({ length: 1_000 }, (_, index) => backoffMs(index + 1, 0.5));
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(10 * 24 * 60 * 60 * 1000);
  });
});

describe('receiveFloorMs', () => {
  const MINUTE_MS = 60 * 1000;
  const DAY_MS = 24 * 60 * MINUTE_MS;

  /** The message's age at each of its receives, the first of which is at 0. */
  const agesWith = (waitMs: (receives: number, ageMs: number) => number, receives: number): readonly number[] => {
    const ages = [0];
    for (let count = 1; count < receives; count += 1) {
      const ageMs = ages[count - 1] ?? 0;
      ages.push(ageMs + waitMs(count, ageMs));
    }
    return ages;
  };

  it('makes a request wait ten days before it gives up, whatever the waits', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 30 * MINUTE_MS })), (waits) => {
        const wait = (count: number, ageMs: number) => Math.max(waits.next().value ?? 0, receiveFloorMs(count, ageMs));
        expect(agesWith(wait, LAST_RECEIVE).at(-1)).toBeGreaterThanOrEqual(10 * DAY_MS);
      }),
      { numRuns: 30 },
    );
  });

  it('makes up for attempts in which the function died, which last as long as the visibility timeout', () => {
    const deaths = fc.uniqueArray(fc.integer({ min: 1, max: LAST_RECEIVE - 50 }), { maxLength: 600 });
    fc.assert(
      fc.property(deaths, fc.integer({ min: 0, max: 3 * MINUTE_MS }), (numbers, visibilityTimeoutMs) => {
        const died = new Set(numbers);
        const ages = agesWith(
          (count, ageMs) => (died.has(count) ? visibilityTimeoutMs : receiveFloorMs(count, ageMs)),
          LAST_RECEIVE,
        );
        expect(ages.at(-1)).toBeGreaterThanOrEqual(10 * DAY_MS);
      }),
      { numRuns: 100 },
    );
  });

  it('never makes a message wait more than an hour', () => {
    const count = fc.integer({ min: 1, max: 1_000 });
    fc.assert(
      fc.property(count, fc.integer({ min: 0, max: 14 * DAY_MS }), (receives, ageMs) => {
        expect(receiveFloorMs(receives, ageMs)).toBeLessThanOrEqual(60 * MINUTE_MS);
      }),
    );
  });

  it('keeps its pace for the receives in which the end of a message is recorded', () => {
    const ages = agesWith(receiveFloorMs, 1_000);
    for (let receives = LAST_RECEIVE; receives < 1_000; receives += 1) {
      expect((ages[receives] ?? 0) - (ages[receives - 1] ?? 0)).toBeGreaterThan(15 * MINUTE_MS);
    }
  });

  it('never delays a message that has few receives for its age', () => {
    const count = fc.integer({ min: 1, max: 1_000 });
    const age = fc.integer({ min: 0, max: 14 * DAY_MS });
    fc.assert(
      fc.property(count, age, (receives, ageMs) => {
        fc.pre(receives <= 40 + ageMs / (15.2 * MINUTE_MS));
        expect(receiveFloorMs(receives, ageMs)).toBe(0);
      }),
    );
  });

  it('makes a message that has kept to its waits wait for a quarter of an hour', () => {
    const ages = agesWith(receiveFloorMs, LAST_RECEIVE);
    for (let receives = 41; receives < LAST_RECEIVE; receives += 1) {
      expect(Math.round(((ages[receives] ?? 0) - (ages[receives - 1] ?? 0)) / MINUTE_MS)).toBe(15);
    }
  });
});

describe('parseRetryAfterMs', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon 3', undefined],
    [undefined, undefined],
  ])('parses %s as %s ms', (header, ms) => {
    expect(parseRetryAfterMs(header, now)).toBe(ms);
  });
});
