/**
 * A point in time as the table stores it: ISO 8601, UTC, milliseconds, 24 characters, so that string order is time
 * order.
 */
export type Instant = string;

const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)$/;

const INSTANT_LENGTH = '2026-11-20T12:00:00.000Z'.length;

export const toInstant = (time: Date): Instant => time.toISOString();

/**
 * Parses an ISO 8601 time with an offset, including one without seconds, with a leap second, or at 24:00. Returns
 * undefined for anything else, including a time without an offset.
 */
export const parseInstant = (value: unknown): Instant | undefined => {
  const match = typeof value === 'string' ? ISO_8601.exec(value) : null;
  if (match === null) return undefined;
  const [, day = '', hours = '', minutes = '', seconds = '0', fraction = '', sign, ...offset] = match;
  const midnight = midnightMs(day);
  const [offsetHours = '0', offsetMinutes = '0'] = offset;
  const timeMs = msOf(hours, minutes, seconds) + Math.trunc(Number(`0.${fraction}0`) * 1000);
  const isTime = Number(minutes) <= 59 && Number(seconds) <= 60 && timeMs <= DAY_MS;
  if (midnight === undefined || !isTime || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const offsetMs = msOf(offsetHours, offsetMinutes) * (sign === '-' ? -1 : 1);
  return fourDigitYear(midnight + timeMs - offsetMs);
};

const DAY_MS = 24 * 60 * 60 * 1000;

const msOf = (hours: string, minutes: string, seconds = '0'): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;

/** `Date` accepts February 30 and reads it as March 2. */
const midnightMs = (day: string): number | undefined => {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && toInstant(midnight).startsWith(day) ? midnight.getTime() : undefined;
};

/** An offset can move a time past year 9999 or before year 0. Such years have a sign, which breaks the sort order. */
const fourDigitYear = (timeMs: number): Instant | undefined => {
  const instant = toInstant(new Date(timeMs));
  return instant.length === INSTANT_LENGTH ? instant : undefined;
};

const EPOCH = /^(\d{10}|\d{13})(\.\d+)?$/;
const BASIC_FORMAT = /^(\d{4})(\d{2})(\d{2}T\d{2})(\d{2})(\d{2}.*)$/;

/**
 * Parses a time as services write it: like {@link parseInstant}, in the basic format of ISO 8601, or as the time since
 * the epoch, a number or a string: from 2001 to 2286, seconds have 10 digits and milliseconds 13. Other numbers of digits
 * can be calendar times, such as 202611201200.
 */
export const parseServiceTime = (value: unknown): Instant | undefined => {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const written = text.trim();
  if (!EPOCH.test(written)) return parseInstant(written.replace(BASIC_FORMAT, '$1-$2-$3:$4:$5'));
  const isSeconds = Number(written) < 10_000_000_000;
  return fourDigitYear(Math.round(Number(written) * (isSeconds ? 1000 : 1)));
};

export const addMs = (instant: Instant, ms: number): Instant => toInstant(new Date(Date.parse(instant) + ms));

/** Milliseconds from `from` to `to`; negative if `to` is earlier. */
export const msBetween = (from: Instant, to: Instant): number => Date.parse(to) - Date.parse(from);
