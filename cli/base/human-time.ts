import { count } from './command.ts';

const UNITS = [
  { name: 'day', symbol: 'd', seconds: 24 * 60 * 60 },
  { name: 'hour', symbol: 'h', seconds: 60 * 60 },
  { name: 'minute', symbol: 'min', seconds: 60 },
  { name: 'second', symbol: 's', seconds: 1 },
] as const;

/** Above this, a person reads the date. */
const MAX_DAYS = 60;

/** Adds to an ISO 8601 time how far away it is, such as `2026-11-20T12:00:00.000Z (in 3 minutes)`. */
export const describeTime = (time: string, now: string): string => {
  const distance = describeDistance(time, now);
  return distance === undefined ? time : `${time} (${distance})`;
};

/**
 * Describes when a window closes, with the margin by which Parley is earlier than the chat service.
 *
 * @param marginSeconds undefined for a stage whose version does not return it
 */
export const describeWindowEnd = (closesAt: string, now: string, marginSeconds = 0): string => {
  const margin = marginSeconds === 0 ? '' : `, ${count(marginSeconds, 'second')} before the chat service closes it`;
  return `open until ${describeTime(closesAt, now)}${margin}`;
};

/** Describes the day on which something expires, such as `2026-11-20, in 12 days`. */
export const describeExpiry = (time: string, now: string): string => {
  const days = Math.floor(Math.abs(Date.parse(time) - Date.parse(now)) / (24 * 60 * 60 * 1000));
  const distance = time > now ? `in ${count(days, 'day')}` : `${count(days, 'day')} ago`;
  return `${time.slice(0, 10)}, ${distance}`;
};

/** Describes how far away a time is, such as `in 23 h 58 min`. Returns undefined for more than two months. */
export const describeDistance = (time: string, now: string): string | undefined => {
  const ms = Date.parse(time) - Date.parse(now);
  // Rounded down, so that it never shows more time than there is.
  const seconds = Math.floor(Math.abs(ms) / 1000);
  // NaN for a time that cannot be parsed.
  if (!(seconds <= MAX_DAYS * 24 * 60 * 60)) return undefined;
  if (seconds === 0) return 'now';
  return ms > 0 ? `in ${describeRest(seconds)}` : `${describeInUnit(seconds)} ago`;
};

const unitOf = (seconds: number) => UNITS.find((unit) => seconds >= unit.seconds) ?? UNITS[3];

/** Describes a duration in its largest unit. */
const describeInUnit = (seconds: number): string => {
  const unit = unitOf(seconds);
  return count(Math.floor(seconds / unit.seconds), unit.name);
};

/** Describes the time that is left: from an hour on, in two units, because a window of 24 hours closes at a minute. */
const describeRest = (seconds: number): string => {
  const unit = unitOf(seconds);
  const next = unit.name === 'day' ? UNITS[1] : UNITS[2];
  const rest = Math.floor((seconds % unit.seconds) / next.seconds);
  if (seconds < 60 * 60 || rest === 0) return describeInUnit(seconds);
  return `${Math.floor(seconds / unit.seconds)} ${unit.symbol} ${rest} ${next.symbol}`;
};
