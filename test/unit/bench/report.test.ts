import { describe, expect, it } from 'vitest';
import { interleave, quantile, summarize } from '../../../bench/report.ts';

describe('a quantile', () => {
  it('is the sample below which that part of all samples lies, in any order', () => {
    const samples = Array.from({ length: 1_000 }, (_, index) => (index * 7) % 1_000);
    expect(quantile(samples, 0.5)).toBe(500);
    expect(quantile(samples, 0.99)).toBe(990);
    expect(quantile(samples, 0.999)).toBe(999);
  });

  it('is the largest sample if there are few, and NaN without any', () => {
    expect(quantile([3, 1, 2], 0.99)).toBe(3);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it('summarizes samples by their quartiles', () => {
    expect(summarize([4, 1, 3, 2])).toEqual({ lowerQuartile: 2, median: 3, upperQuartile: 4 });
  });
});

describe('interleaved subjects', () => {
  it('take turns, each round starting with another one, and the warm-up is not measured', async () => {
    const order: string[] = [];
    const samples = await interleave(['a', 'b'], { rounds: 2, warmUpRounds: 1 }, async (subject) =>
      order.push(subject),
    );
    expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b']);
    expect([...samples]).toEqual([
      ['a', [4, 5]],
      ['b', [3, 6]],
    ]);
  });
});
