import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';
import { fuzzHolds } from './fuzz-holds.ts';
import { fuzzOverHttp } from './fuzz-over-http.ts';
import { playOutage } from './outage.ts';

// Small counts of what `npm run fuzz` and `npm run outage` show at length.

/** A few seconds each on an idle machine. */
const PATIENCE_MS = 180_000;

describe('whatever an authentic post holds', () => {
  const SEED = 1;

  it(
    'it is stored, kept aside or too large, and nothing fails',
    async () => {
      const result = await fuzz({ count: 1960, seed: SEED });
      expect(fuzzHolds(result), JSON.stringify(result)).toBe(true);
    },
    PATIENCE_MS,
  );

  it(
    'the same goes for the bundled function behind the HTTP API',
    async () => {
      const result = await fuzzOverHttp({ count: 40, seed: SEED + 1_000_000 });
      expect(fuzzHolds(result), JSON.stringify(result)).toBe(true);
    },
    PATIENCE_MS,
  );
});

describe('while the table is out of reach', () => {
  it(
    'every post is acknowledged, and stored once after that',
    async () => {
      const result = await playOutage({ seconds: 2, rate: 20 });
      expect(result).toMatchObject({ posts: 40, stored: 40, quarantined: 0 });
      expect(result.waiting).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});
