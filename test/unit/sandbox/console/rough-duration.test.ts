import { expect, it } from 'vitest';
import { formatRoughly } from '../../../../sandbox/console/page/components/rough-duration.ts';

it.each([
  [-1, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [59_001, '1 min'],
  [3_599_000, '59 min'],
  [3_600_000, '1 h'],
  [172_800_000, '2 d'],
])('%d ms: %s', (ms, text) => {
  expect(formatRoughly(ms)).toBe(text);
});
