import { describe, expect, it } from 'vitest';
import { hottestShare, limitingRate } from '../../../../bench/scale/hot-key.ts';

describe('the hottest key', () => {
  it('has the share of the draws that are the most frequent one', () => {
    expect(hottestShare([2, 1, 2, 3, 2])).toBe(0.6);
    expect(hottestShare([7])).toBe(1);
  });

  it('reaches the limit of a partition at a rate that its share and its units determine', () => {
    expect(limitingRate(0.1, 1)).toBe(10_000);
    expect(limitingRate(0.1, 2)).toBe(5_000);
    expect(limitingRate(1, 1)).toBe(1_000);
  });
});
