import type { ContactRef } from './contact.ts';
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

/** An erasure on its queue. Its message, which contains the contact's key, is deleted when the erasure is done. */
export const queuedErasure = z.object({
  erasureId: z.string(),
  requestedAt: z.string(),
  contact: z.object({ platform: z.string(), channel: z.string(), key: z.string() }),
  // An earlier version of the function that queues it does not name any.
  customerIds: z._default(z.array(z.string()), []),
});

export interface QueuedErasure {
  readonly erasureId: string;
  readonly requestedAt: string;
  readonly contact: ContactRef;
  /** The customers that the contact's user was when the erasure was requested. */
  readonly customerIds: readonly string[];
}
