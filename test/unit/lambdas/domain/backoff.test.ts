import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, parseRetryAfterMs, receiveFloorMs } from '../../../../lambdas/domain/backoff.ts';

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
  const DAY_MS = 24 * 60 * 60 * 1000;

  it("makes SQS's 1,000 receives last ten days, whatever the waits", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 60_000 })), (waits) => {
        let ageMs = 0;
        for (let receives = 1; receives < 1_000; receives += 1) {
          ageMs += Math.max(waits.next().value ?? 0, receiveFloorMs(receives, ageMs));
        }
        // The thousandth receive is the last that SQS allows.
        ageMs += receiveFloorMs(1_000, ageMs);
        expect(ageMs).toBeGreaterThanOrEqual(10 * DAY_MS);
      }),
      { numRuns: 30 },
    );
  });

  it('never delays a message that has few receives for its age', () => {
    const count = fc.integer({ min: 1, max: 1_000 });
    const age = fc.integer({ min: 0, max: 14 * DAY_MS });
    fc.assert(
      fc.property(count, age, (receives, ageMs) => {
        const isFrugal = receives <= 40 + ageMs / (15 * 60 * 1000);
        expect(receiveFloorMs(receives, ageMs) === 0).toBe(isFrugal);
      }),
    );
  });

  it('does not delay a message in its first forty receives', () => {
    for (let receives = 1; receives <= 40; receives += 1) expect(receiveFloorMs(receives, 0)).toBe(0);
    expect(receiveFloorMs(41, 0)).toBe(15 * 60 * 1000);
  });

  it('never makes a message wait more than 15 minutes if it has kept to its earlier waits', () => {
    const dueAfter = (receives: number) => (receives - 1 - 40) * 15 * 60 * 1000;
    for (let receives = 41; receives <= 1_000; receives += 1) {
      expect(receiveFloorMs(receives, dueAfter(receives))).toBe(15 * 60 * 1000);
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
