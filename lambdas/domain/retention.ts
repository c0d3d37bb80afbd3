import * as z from './schema.ts';

const days = z.int().check(z.minimum(1));

/** How many days the table keeps each kind of data, as the setting `retentionDays` says. */
export const retentionDays = z.object({
  /** A user's and the business's messages, with their statuses. */
  messages: days,
  /** Send requests with what became of them. */
  sends: days,
  /** A contact, after its last sign of life. */
  contacts: days,
  /** The result of a contact check. */
  contactChecks: days,
  /** Who did what to whom. */
  audit: days,
});

export type RetentionDays = z.output<typeof retentionDays>;
export type KindOfData = keyof RetentionDays;
