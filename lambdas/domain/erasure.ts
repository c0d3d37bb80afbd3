import type { ContactRef } from './contact.ts';
import * as z from './schema.ts';

/** What stays of an erased contact: when, and how much; nothing of whom. */
export const erasureRecord = z.object({
  erasureId: z.string(),
  state: z.enum(['running', 'done']),
  requestedAt: z.string(),
  finishedAt: z.optional(z.string()),
  messages: z.number(),
  sends: z.number(),
  /** How often the work was taken up. */
  turns: z.number(),
});

export type ErasureRecord = z.output<typeof erasureRecord>;

/** An erasure on its way; once it is done, the queue message with the contact's key is gone too. */
export const queuedErasure = z.object({
  erasureId: z.string(),
  requestedAt: z.string(),
  contact: z.object({ platform: z.string(), channel: z.string(), key: z.string() }),
});

export interface QueuedErasure {
  readonly erasureId: string;
  readonly requestedAt: string;
  readonly contact: ContactRef;
}
