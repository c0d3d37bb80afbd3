import { expect, it } from 'vitest';
import {
  formatDay,
  formatMilliseconds,
  formatSeconds,
  formatTime,
} from '../../../../sandbox/console/page/components/time.ts';

it('shows a time that is none as it is, instead of failing', () => {
  const formats = [formatTime, formatSeconds, formatMilliseconds, formatDay];

  expect(formats.map((format) => format('soon'))).toEqual(['soon', 'soon', 'soon', 'soon']);
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
