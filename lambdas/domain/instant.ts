/**
 * A point in time as the table keeps it: ISO 8601, UTC, milliseconds, always 24 characters, so that text order is time
 * order.
 */
export type Instant = string;

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/;

export const toInstant = (time: Date): Instant => time.toISOString();

/** Reads an ISO 8601 time with its offset; undefined for anything else, a time without an offset included. */
export const readInstant = (value: unknown): Instant | undefined => {
  if (typeof value !== 'string' || !ISO_8601.test(value)) return undefined;
  const time = new Date(value.replace(',', '.'));
  return Number.isNaN(time.getTime()) ? undefined : toInstant(time);
};

export const addMs = (instant: Instant, ms: number): Instant => toInstant(new Date(Date.parse(instant) + ms));
