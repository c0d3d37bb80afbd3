import * as z from './schema.ts';

/** What remains of an erased contact: when and how much was erased, but not whose data it was. */
export const erasureRecord = z.object({
  erasureId: z.string(),
  state: z.enum(['running', 'done']),
  requestedAt: z.string(),
  finishedAt: z.optional(z.string()),
  /** Messages erased so far. */
  messages: z.number(),
  /** Sends erased so far. */
  sends: z.number(),
  /** Dead letters deleted so far. */
  deadLetters: z.number(),
  /** How many times the erasure's queue message has been processed. */
  passes: z.number(),
});

export type ErasureRecord = z.output<typeof erasureRecord>;

/** Longer than the usual lag of the index `byContact` behind the table. */
export const INDEX_LAG_MS = 2_000;

const customers = z.readonly(z.array(z.object({ platform: z.string(), customerId: z.string() })));

/** An erasure on its queue. Its message, which contains the contact's key, is deleted when the erasure is done. */
export const queuedErasure = z.object({
  erasureId: z.string(),
  requestedAt: z.string(),
  /** The platform of the contact and of the customers. */
  platform: z.string(),
  /** Absent for a customer of whom no address is known. */
  contact: z.optional(z.object({ platform: z.string(), channel: z.string(), key: z.string() })),
  /**
   * Given if the contact has another user now. The erasure then leaves what is later or names another customer, and all
   * dead letters, which can be about either user. @default the contact's user is erased
   */
  earlier: z.optional(z.object({ customerId: z.string(), until: z.string() })),
  /** The customers that the user was when the erasure was requested. */
  customers,
  /** Those that events named with the contact although they are not its user. They only leave the contact. */
  otherCustomers: customers,
  /**
   * The keys of the addresses that an operator separated from `customers`. What names one of them is another user's.
   * @default none
   */
  separatedKeys: z.optional(z.readonly(z.array(z.string()))),
});

export type QueuedErasure = Readonly<z.output<typeof queuedErasure>>;
