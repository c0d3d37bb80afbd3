/**
 * A point in time as the table keeps it: ISO 8601, UTC, milliseconds, always 24 characters, so that text order is time
 * order.
 */
export type Instant = string;

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/;

const LENGTH = '2026-11-20T12:00:00.000Z'.length;

export const toInstant = (time: Date): Instant => time.toISOString();

/** Reads an ISO 8601 time with its offset; undefined for anything else, a time without an offset included. */
export const readInstant = (value: unknown): Instant | undefined => {
  if (typeof value !== 'string' || !ISO_8601.test(value) || !isDay(value.slice(0, 10))) return undefined;
  const time = new Date(value.replace(',', '.'));
  if (Number.isNaN(time.getTime())) return undefined;
  const instant = toInstant(time);
  // An offset can move a time into the year 10000 or before the year 0, which are written with a sign and sort wrongly.
  return instant.length === LENGTH ? instant : undefined;
};

/** `Date` takes 30 February for 2 March. */
const isDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && toInstant(midnight).startsWith(day);
};

export const addMs = (instant: Instant, ms: number): Instant => toInstant(new Date(Date.parse(instant) + ms));
