/**
 * A point in time as the table stores it: ISO 8601, UTC, milliseconds, 24 characters, so that string order is time
 * order.
 */
export type Instant = string;

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/;

const INSTANT_LENGTH = '2026-11-20T12:00:00.000Z'.length;

export const toInstant = (time: Date): Instant => time.toISOString();

/** Parses an ISO 8601 time with an offset. Returns undefined for anything else, including a time without an offset. */
export const parseInstant = (value: unknown): Instant | undefined => {
  if (typeof value !== 'string' || !ISO_8601.test(value) || !isCalendarDay(value.slice(0, 10))) return undefined;
  const time = new Date(value.replace(',', '.'));
  if (Number.isNaN(time.getTime())) return undefined;
  const instant = toInstant(time);
  // An offset can move a time past year 9999 or before year 0. Such years have a sign, which breaks the sort order.
  return instant.length === INSTANT_LENGTH ? instant : undefined;
};

/** `Date` accepts February 30 and reads it as March 2. */
const isCalendarDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && toInstant(midnight).startsWith(day);
};

export const addMs = (instant: Instant, ms: number): Instant => toInstant(new Date(Date.parse(instant) + ms));

/** Milliseconds from `from` to `to`; negative if `to` is earlier. */
export const msBetween = (from: Instant, to: Instant): number => Date.parse(to) - Date.parse(from);
