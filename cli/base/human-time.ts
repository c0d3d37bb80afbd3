import { count } from './command.ts';

const UNITS = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
  ['second', 1],
] as const;

/** Above this, a person reads the date. */
const MAX_DAYS = 60;

/** Adds to an ISO 8601 time how far away it is, such as `2026-11-20T12:00:00.000Z (in 3 minutes)`. */
export const describeTime = (time: string, now: string): string => {
  const distance = describeDistance(time, now);
  return distance === undefined ? time : `${time} (${distance})`;
};

/** Describes the day on which something expires, such as `2026-11-20, in 12 days`. */
export const describeExpiry = (time: string, now: string): string => {
  const days = Math.floor(Math.abs(Date.parse(time) - Date.parse(now)) / (24 * 60 * 60 * 1000));
  const distance = time > now ? `in ${count(days, 'day')}` : `${count(days, 'day')} ago`;
  return `${time.slice(0, 10)}, ${distance}`;
};

/** Describes how far away a time is, such as `in 3 minutes`. Returns undefined for more than two months. */
export const describeDistance = (time: string, now: string): string | undefined => {
  const ms = Date.parse(time) - Date.parse(now);
  const seconds = Math.round(Math.abs(ms) / 1000);
  // NaN for a time that cannot be parsed.
  if (!(seconds <= MAX_DAYS * 24 * 60 * 60)) return undefined;
  if (seconds === 0) return 'now';
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1];
  const distance = count(Math.round(seconds / length), unit);
  return ms > 0 ? `in ${distance}` : `${distance} ago`;
};
