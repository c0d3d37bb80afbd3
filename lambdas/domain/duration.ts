declare const unit: unique symbol;

/** A duration in milliseconds. Seconds, and numbers without a unit, are not assignable to it. */
export type Ms = number & { readonly [unit]: 'ms' };

/** A duration in seconds. */
export type Seconds = number & { readonly [unit]: 's' };

// Only these two functions give a number its unit.
export const ms = (value: number): Ms => value as Ms;
export const seconds = (value: number): Seconds => value as Seconds;

export const toMs = (value: Seconds): Ms => ms(value * 1_000);

const UNITS_MS = { W: 604_800_000, D: 86_400_000, H: 3_600_000, M: 60_000, S: 1_000 } as const;

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
  const [, weeks = '0', days = '0', hours = '0', minutes = '0', rest = '0'] = parts;
  const { W, D, H, M, S } = UNITS_MS;
  const total = Number(weeks) * W + Number(days) * D + Number(hours) * H + Number(minutes) * M + Number(rest) * S;
  return total > 0 && total <= MAX_DAYS * D ? ms(total) : undefined;
};
