import { expect, it } from 'vitest';
import { describeTime } from '../../../../cli/base/human-time.ts';
import { NOW } from '../../../support/builders.ts';

it.each([
  ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z (now)'],
  ['2026-11-20T12:00:01.000Z', '2026-11-20T12:00:01.000Z (in 1 second)'],
  ['2026-11-20T12:03:10.000Z', '2026-11-20T12:03:10.000Z (in 3 minutes)'],
  ['2026-11-20T11:59:00.000Z', '2026-11-20T11:59:00.000Z (1 minute ago)'],
  ['2026-11-20T14:00:00+02:00', '2026-11-20T14:00:00+02:00 (now)'],
  ['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z (in 1 day)'],
  ['2026-11-20T07:00:00.000Z', '2026-11-20T07:00:00.000Z (5 hours ago)'],
  // A person reads the date.
  ['2025-11-20T12:00:00.000Z', '2025-11-20T12:00:00.000Z'],
  ['soon', 'soon'],
])('%s is described with its distance: %s', (time, described) => {
  expect(describeTime(time, NOW)).toBe(described);
});
