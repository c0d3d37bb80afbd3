import { expect, it } from 'vitest';
import { describeTimes } from '../../../smoke/measure-steps.ts';

it('returns the median and the 95th percentile by the nearest rank, whatever the order', () => {
  const times = Array.from({ length: 20 }, (_, index) => 20 - index);

  expect(describeTimes(times)).toBe('median 10 ms, p95 19 ms, n 20');
  expect(describeTimes([7])).toBe('median 7 ms, p95 7 ms, n 1');
});
