import { expect, test } from 'vitest';
import { nearestName } from '../../../../lib/settings/nearest-name.ts';

test.each([
  { written: 'pord', names: ['dev', 'prod'], nearest: 'prod' },
  { written: 'PROD', names: ['dev', 'prod'], nearest: 'prod' },
  { written: 'prod1', names: ['prod22', 'prod', 'prox22'], nearest: 'prod' },
  { written: 'staging', names: ['dev', 'prod'], nearest: undefined },
  { written: 'xyz', names: ['dev'], nearest: undefined },
  { written: 'qa', names: ['eu'], nearest: undefined },
  { written: 'a', names: [], nearest: undefined },
])('suggests $nearest for $written when the names are $names', ({ written, names, nearest }) => {
  expect(nearestName(written, names)).toBe(nearest);
});
