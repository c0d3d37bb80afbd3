declare const unit: unique symbol;

/** A duration in milliseconds. Seconds, and numbers without a unit, are not assignable to it. */
export type Ms = number & { readonly [unit]: 'ms' };

/** A duration in seconds. */
export type Seconds = number & { readonly [unit]: 's' };

// Only these two functions give a number its unit.
export const ms = (value: number): Ms => value as Ms;
export const seconds = (value: number): Seconds => value as Seconds;

export const toMs = (value: Seconds) => (value * 1_000) as Ms;

const DAY_MS = 86_400_000;

/** Weeks, days, hours, minutes, and seconds. */
const UNITS_MS = [7 * DAY_MS, DAY_MS, 3_600_000, 60_000, 1_000];

const ISO_8601_DURATION =
  /^P(?!$)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?!$)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;

/** As far ahead as a `sendAt` may be. */
const MAX_DAYS = 366;

/**
 * Parses an ISO 8601 duration of weeks, days, hours, minutes, and seconds, such as `PT10M`. Returns milliseconds, or
 * undefined for anything else: for years and months, whose length varies, for none, and for more than 366 days.
 */
export const parseDuration = (value: unknown): Ms | undefined => {
  const parts = typeof value === 'string' ? ISO_8601_DURATION.exec(value) : null;
  if (parts === null) return undefined;
  const total = UNITS_MS.reduce((sum, unitMs, index) => sum + unitMs * Number(parts[index + 1] ?? 0), 0);
  return total > 0 && total <= MAX_DAYS * DAY_MS ? ms(total) : undefined;
};
