import { describe, expect, it } from 'vitest';
import { createTokenBucket } from '../../../../local/http-api/token-bucket.ts';

const at = (ms: number) => new Date(ms);

describe('a token bucket', () => {
  it('accepts a burst, then requests at its rate', () => {
    const bucket = createTokenBucket({ requestsPerSecond: 2, burst: 3 }, at(0));

    expect([0, 0, 0, 0].map((ms) => bucket.take(at(ms)))).toEqual([true, true, true, false]);
    expect([400, 500, 900, 1000].map((ms) => bucket.take(at(ms)))).toEqual([false, true, false, true]);
  });

  it('never holds more than a burst', () => {
    const bucket = createTokenBucket({ requestsPerSecond: 1000, burst: 1 }, at(0));

    expect([60_000, 60_000].map((ms) => bucket.take(at(ms)))).toEqual([true, false]);
  });

  it('adds no tokens when the clock moves back', () => {
    const bucket = createTokenBucket({ requestsPerSecond: 1, burst: 1 }, at(10_000));

    expect([10_000, 0, 10_500].map((ms) => bucket.take(at(ms)))).toEqual([true, false, false]);
  });
});
