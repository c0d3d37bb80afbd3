import type { Instant } from './instant.ts';
import * as z from './schema.ts';

const days = z.int().check(z.minimum(1));

/** How many days the table keeps each kind of data, from the setting `retentionDays`. */
export const retentionDays = z.object({
  /** A user's and the business's messages, with their statuses. */
  messages: days,
  /** Send requests and their outcomes. */
  sends: days,
  /** A contact with its window, after the user's latest message. */
  contacts: days,
  /** The audit trail. */
  audit: days,
});

export type RetentionDays = z.output<typeof retentionDays>;
export type KindOfData = keyof RetentionDays;

/** Returns when an item that is kept for some days after an instant expires, as a DynamoDB TTL. */
export const expiryAfterDays = (instant: string, daysKept: number): number =>
  Math.floor(Date.parse(instant) / 1000) + daysKept * 24 * 60 * 60;

/** Returns when an item that is valid for `ms` after an instant expires, as a DynamoDB TTL: seconds since the epoch. */
export const expiryAfter = (instant: Instant, ms: number): number => Math.ceil((Date.parse(instant) + ms) / 1000);

/**
 * Returns whether to treat an item as deleted, because DynamoDB deletes expired items only within a few days.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 *
 * @param expiresAt seconds since the epoch; an item without it does not expire
 */
export const isExpired = ({ expiresAt }: { readonly expiresAt?: unknown }, now: Instant): boolean =>
  typeof expiresAt === 'number' && expiresAt * 1000 <= Date.parse(now);
