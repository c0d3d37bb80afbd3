import { expect, test } from 'vitest';
import { nearestName } from '../../../lib/settings/nearest-name.ts';

test.each([
  { written: 'pord', names: ['dev', 'prod'], nearest: 'prod' },
  { written: 'PROD', names: ['dev', 'prod'], nearest: 'prod' },
  { written: 'prod1', names: ['prod22', 'prod', 'prox22'], nearest: 'prod' },
  { written: 'staging', names: ['dev', 'prod'], nearest: undefined },
  { written: 'xyz', names: ['dev'], nearest: undefined },
  { written: 'a', names: [], nearest: undefined },
])('$written, of $names, was probably meant as $nearest', ({ written, names, nearest }) => {
  expect(nearestName(written, names)).toBe(nearest);
});
