import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';
import { isPassed } from './fuzz-result.ts';
import { isAsDocumented, runPostedOnce } from './posted-once.ts';
import { runTableOutage } from './table-outage.ts';

// With small numbers; `npm run fuzz` and `npm run outage` run the same in full.

/** A few seconds each on an idle machine. */
const TIMEOUT_MS = 180_000;

describe('an authentic request with any body', () => {
  it(
    'is stored, quarantined, or too large, nothing fails, and only what says so counts as the user’s',
    async () => {
      const result = await fuzz({ count: 2000, seed: 1 });
      expect(isPassed(result), JSON.stringify(result)).toBe(true);
      const { misread: _misread, ...counts } = result.senders;
      expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

describe('while the table is unavailable', () => {
  it(
    'every event is acknowledged, and stored once afterwards',
    async () => {
      const result = await runTableOutage({ seconds: 2, rate: 20 });
      expect(result).toMatchObject({ requests: 40, stored: 40, quarantined: 0 });
      expect(result.waiting).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

describe('from a service that posts each event once', () => {
  const POSTS = 4;
  const lostIn = (results: Awaited<ReturnType<typeof runPostedOnce>>) =>
    results.flatMap(({ fault, stored }) => (stored < POSTS && fault !== 'processes killed' ? [fault] : []));

  it(
    'direct ingress loses only events whose post got no 2xx',
    async () => {
      const results = await runPostedOnce('direct', POSTS);

      expect(isAsDocumented(results), JSON.stringify(results)).toBe(true);
      expect(lostIn(results)).toEqual([
        'secret unreadable for an hour',
        'function throttled',
        'function fails, as in a broken deployment',
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'buffered ingress loses nothing, and stores nothing unauthentic',
    async () => {
      const results = await runPostedOnce('buffered', POSTS);

      expect(isAsDocumented(results), JSON.stringify(results)).toBe(true);
      expect(results.map(({ stored }) => stored)).toEqual(results.map(() => POSTS));
    },
    TIMEOUT_MS,
  );
});
