import { describe, expect, test } from 'vitest';
import { createActivityCounts } from '../../../../sandbox/service/activity-counts.ts';

const time = (text: string) => new Date(`2026-01-31T${text}Z`);
const NONE = { received: 0, sent: 0, failedCalls: 0, failedDeliveries: 0 };

describe('counts per minute', () => {
  test('are zero for each of the last 30 minutes, oldest first', () => {
    const minutes = createActivityCounts().minutes(time('10:05:30.500'));

    expect(minutes).toHaveLength(30);
    expect(minutes[0]).toEqual({ at: '2026-01-31T09:36:00.000Z', ...NONE });
    expect(minutes.at(-1)).toEqual({ at: '2026-01-31T10:05:00.000Z', ...NONE });
  });

  test('separate the last millisecond of a minute from the first of the next', () => {
    const counts = createActivityCounts();

    counts.add('received', time('10:00:00.000'));
    counts.add('received', time('10:00:59.999'));
    counts.add('received', time('10:01:00.000'));
    counts.add('sent', time('10:01:00.000'));
    counts.add('failedCalls', time('10:01:30.000'));
    counts.add('failedDeliveries', time('10:01:59.999'));

    expect(counts.minutes(time('10:01:59.999')).slice(-2)).toEqual([
      { at: '2026-01-31T10:00:00.000Z', ...NONE, received: 2 },
      { at: '2026-01-31T10:01:00.000Z', received: 1, sent: 1, failedCalls: 1, failedDeliveries: 1 },
    ]);
  });

  test('drop a minute once it is 30 minutes old', () => {
    const counts = createActivityCounts();
    counts.add('sent', time('10:00:00.000'));

    expect(counts.minutes(time('10:29:59.999'))[0]).toEqual({ at: '2026-01-31T10:00:00.000Z', ...NONE, sent: 1 });
    expect(counts.minutes(time('10:30:00.000')).every(({ sent }) => sent === 0)).toBe(true);
  });

  test('show only what is new after an hour without activity', () => {
    const counts = createActivityCounts();
    counts.add('sent', time('10:00:00.000'));
    counts.add('sent', time('11:00:00.000'));

    expect(counts.minutes(time('11:00:00.000')).map(({ sent }) => sent)).toEqual([...Array(29).fill(0), 1]);
    // The machine's clock was set back: the earlier minute is no longer kept.
    expect(counts.minutes(time('10:00:00.000')).every(({ sent }) => sent === 0)).toBe(true);
  });

  test('are cleared by a reset', () => {
    const counts = createActivityCounts();
    counts.add('received', time('10:00:00.000'));

    counts.clear();

    expect(counts.minutes(time('10:00:00.000')).at(-1)).toEqual({ at: '2026-01-31T10:00:00.000Z', ...NONE });
  });
});
