import { expect, it } from 'vitest';
import { parseDuration } from '../../../../lambdas/domain/duration.ts';

const MINUTE_MS = 60_000;

it.each([
  ['PT10M', 10 * MINUTE_MS],
  ['PT1H30M', 90 * MINUTE_MS],
  ['PT45S', 45_000],
  ['P2D', 2 * 24 * 60 * MINUTE_MS],
  ['P1W', 7 * 24 * 60 * MINUTE_MS],
  ['P1DT1S', 24 * 60 * MINUTE_MS + 1_000],
  ['P366D', 366 * 24 * 60 * MINUTE_MS],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(['', 'P', 'PT', 'P1DT', 'PT0S', 'P1M', 'P1Y', 'PT1.5H', '-PT1M', 'PT1M1H', '10M', 'pt10m', 'P367D', 600, null])(
  '%j is not a duration',
  (value) => {
    expect(parseDuration(value)).toBeUndefined();
  },
);
