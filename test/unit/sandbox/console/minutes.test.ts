import { describe, expect, it } from 'vitest';
import type { FeedEntry, MinuteCounts } from '../../../../sandbox/console/page/state/api.ts';
import { activityOf, rollOver, totalOf, withActivity } from '../../../../sandbox/console/page/state/minutes.ts';

const at = (minute: string, received = 0): MinuteCounts => ({
  at: `2026-11-23T${minute}:00.000Z`,
  received,
  sent: 0,
  failedCalls: 0,
  failedDeliveries: 0,
});
const time = (clock: string) => Date.parse(`2026-11-23T${clock}.000Z`);
const MINUTES = [at('14:03', 1), at('14:04', 2), at('14:05', 3)];

describe('minutes', () => {
  it.each([
    ['within the last minute', '14:05:59', MINUTES],
    ['before the last minute, on a clock that is behind', '14:02:00', MINUTES],
    ['in the next minute', '14:06:00', [at('14:04', 2), at('14:05', 3), at('14:06')]],
    ['two minutes later', '14:07:30', [at('14:05', 3), at('14:06'), at('14:07')]],
    ['a long time later', '19:00:10', [at('18:58'), at('18:59'), at('19:00')]],
  ])('roll over %s', (_, now, expected) => {
    expect(rollOver(MINUTES, time(now))).toEqual(expected);
  });

  it('are empty until they are loaded', () => {
    expect(withActivity([], 'sent', time('14:05:00'))).toEqual([]);
  });

  it('count what happens in the minute in which it happens', () => {
    const counted = withActivity(withActivity(MINUTES, 'received', time('14:05:10')), 'received', time('14:06:10'));

    expect(counted).toEqual([at('14:04', 2), at('14:05', 4), at('14:06', 1)]);
    expect(totalOf(counted, 'received', 2)).toBe(5);
    expect(totalOf(counted, 'received', 30)).toBe(7);
  });
});

describe('what a feed entry counts as', () => {
  const kindOf = (entry: object) => activityOf({ id: 1, at: '', ...entry } as FeedEntry);

  it.each([
    [{ type: 'user-wrote' }, 'received'],
    [{ type: 'message-accepted' }, 'sent'],
    [{ type: 'status-changed' }, undefined],
    [{ type: 'call', call: { status: 200 } }, undefined],
    [{ type: 'call', call: { status: 400 } }, 'failedCalls'],
    [{ type: 'webhook-attempt', delivery: { status: 204 } }, undefined],
    [{ type: 'webhook-attempt', delivery: { status: 301 } }, 'failedDeliveries'],
    [{ type: 'webhook-attempt', delivery: { status: null } }, 'failedDeliveries'],
  ])('%j: %s', (entry, kind) => {
    expect(kindOf(entry)).toBe(kind);
  });
});
