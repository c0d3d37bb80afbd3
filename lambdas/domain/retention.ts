import type { Instant } from './instant.ts';
import * as z from './schema.ts';

const days = z.int().check(z.minimum(1));

/** How many days the table keeps each kind of data, as the setting `retentionDays` says. */
export const retentionDays = z.object({
  /** A user's and the business's messages, with their statuses. */
  messages: days,
  /** Send requests with what became of them. */
  sends: days,
  /** A contact with its window, after its last sign of life: the user's latest message. */
  contacts: days,
  /** The result of a contact check. */
  contactChecks: days,
  /** Who did what to whom. */
  audit: days,
});

export type RetentionDays = z.output<typeof retentionDays>;
export type KindOfData = keyof RetentionDays;

/** Returns when an item expires that counts for `ms` after an instant, as a DynamoDB TTL: seconds since the epoch. */
export const expiryAfter = (instant: Instant, ms: number): number => Math.ceil((Date.parse(instant) + ms) / 1000);

/**
 * Whether an item with a TTL counts as deleted. DynamoDB deletes expired items within a few days.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 *
 * @param expiresAt seconds since the epoch; an item without it does not expire
 */
export const isExpired = ({ expiresAt }: { readonly expiresAt?: unknown }, now: Instant): boolean =>
  typeof expiresAt === 'number' && expiresAt * 1000 <= Date.parse(now);
