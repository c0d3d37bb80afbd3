import { type Activity, type FeedEntry, hasFailed, isAcknowledged, type MinuteCounts } from './api.ts';

const MINUTE_MS = 60_000;
const NOTHING = { received: 0, sent: 0, failedCalls: 0, failedDeliveries: 0 };

/** Returns the same number of minutes, of which the last one contains `now`, with zeros for the new ones. */
export const rollOver = (minutes: readonly MinuteCounts[], now: number): readonly MinuteCounts[] => {
  const last = minutes.at(-1);
  if (last === undefined) return minutes;
  const passed = Math.floor((now - Date.parse(last.at)) / MINUTE_MS);
  // The server's clock may be ahead of the browser's.
  if (passed <= 0) return minutes;
  const added = Array.from({ length: Math.min(passed, minutes.length) }, (_, index) => ({
    at: new Date(Date.parse(last.at) + (passed - index) * MINUTE_MS).toISOString(),
    ...NOTHING,
  })).reverse();
  return [...minutes, ...added].slice(-minutes.length);
};

/** Returns the minutes with one more activity in the minute of `now`. */
export const withActivity = (
  minutes: readonly MinuteCounts[],
  kind: Activity,
  now: number,
): readonly MinuteCounts[] => {
  const rolled = rollOver(minutes, now);
  const last = rolled.at(-1);
  return last === undefined ? rolled : rolled.with(-1, { ...last, [kind]: last[kind] + 1 });
};

/** Returns what a feed entry counts as; undefined if it is not counted. */
export const activityOf = (entry: FeedEntry): Activity | undefined => {
  switch (entry.type) {
    case 'user-wrote':
      return 'received';
    case 'message-accepted':
      return 'sent';
    case 'call':
      return hasFailed(entry.call) ? 'failedCalls' : undefined;
    case 'webhook-attempt':
      return isAcknowledged(entry.delivery) ? undefined : 'failedDeliveries';
    default:
      return undefined;
  }
};

/** Returns how many of a kind there were in the last `count` minutes. */
export const totalOf = (minutes: readonly MinuteCounts[], kind: Activity, count: number): number =>
  minutes.slice(-count).reduce((sum, minute) => sum + minute[kind], 0);
