import { expect, it } from 'vitest';
import {
  formatDateTime,
  formatDay,
  formatDuration,
  formatElapsed,
  formatMilliseconds,
  formatRoughly,
  formatSeconds,
  formatTime,
  withReadableTimes,
} from '../../../../sandbox/console/page/components/time.ts';

it('replaces the ISO times of a sentence', () => {
  const at = '2026-11-21T10:00:00.000Z';

  expect(withReadableTimes(`The user wrote at ${at}, so the window is open.`)).toBe(
    `The user wrote at ${formatDateTime(Date.parse(at))}, so the window is open.`,
  );
});

it('shows a time that is none as it is, instead of failing', () => {
  const formats = [formatTime, formatSeconds, formatMilliseconds, formatDay];

  expect(formats.map((format) => format('soon'))).toEqual(['soon', 'soon', 'soon', 'soon']);
});

it.each([
  [0, '0 ms'],
  [37, '37 ms'],
  [999.4, '999 ms'],
  [2_440, '2.4 s'],
  [3_000, '3 s'],
  [59_960, '1 min'],
  [200_000, '3 min 20 s'],
  [3_599_700, '1 h'],
  [25 * 3_600_000 + 3_000, '25 h'],
  [47 * 3_600_000 + 1_800_000, '47 h 30 min'],
  [76 * 3_600_000, '3 d 4 h'],
])('shows %i ms as %s', (ms, text) => {
  expect(formatElapsed(ms)).toBe(text);
});

it.each([
  [-1, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [59_001, '1 min'],
  [3_599_000, '59 min'],
  [3_600_000, '1 h'],
  [172_800_000, '2 d'],
])('shows %i ms roughly as %s', (ms, text) => {
  expect(formatRoughly(ms)).toBe(text);
});

it('shows a time in each format', () => {
  const at = new Date(2026, 10, 21, 14, 5, 9, 120).toISOString();

  expect([formatTime(at), formatSeconds(at), formatMilliseconds(at), formatDay(at)]).toEqual([
    '14:05',
    '14:05:09',
    '14:05:09.120',
    'Sat, Nov 21',
  ]);
});

it.each([
  [59_999, '00:00:59'],
  [86_399_000, '23:59:59'],
  [86_400_000, '24:00:00'],
  [86_401_000, '1 d 00:00:01'],
  [2 * 86_400_000, '2 d 00:00:00'],
])('counts down from %i ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
