import { describe, expect, it } from 'vitest';
import { createZipf } from '../../../../bench/scale/zipf.ts';
import { createRandom } from '../../../support/random.ts';

describe('a draw by Zipf’s law', () => {
  it('returns each rank for its part of the random numbers', () => {
    const { draw } = createZipf(3);
    // 1 + 1/2 + 1/3 = 11/6: the ranks have 6/11, 3/11, and 2/11 of the draws.
    expect([0, 0.54, 0.55, 0.81, 0.82, 0.999].map(draw)).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('returns the first rank as often as its share says', () => {
    const { draw, hottestShare } = createZipf(1_000);
    const random = createRandom(1);
    const drawn = Array.from({ length: 20_000 }, () => draw(random()));
    expect(drawn.filter((rank) => rank === 0).length / drawn.length).toBeCloseTo(hottestShare, 2);
    expect(Math.max(...drawn)).toBeGreaterThan(900);
  });

  it('requires a rank', () => {
    expect(() => createZipf(0)).toThrow(RangeError);
  });
});
