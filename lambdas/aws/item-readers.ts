import type { Contact } from '../domain/contact.ts';
import * as z from '../domain/schema.ts';
import type { StoredSend } from '../domain/send-state.ts';

const text = z.optional(z.string());

const contactSchema = z.object({
  address: text,
  lastInboundAt: text,
  windowDeniedAt: text,
  optInAt: text,
  optOutAt: text,
});

const sendSchema = z.object({
  state: z.enum(['claimed', 'waiting', 'accepted', 'refused', 'rejected', 'expired', 'uncertain']),
  body: z.string(),
  claimId: text,
  leaseUntil: text,
  attempts: z._default(z.number(), 0),
  messageId: text,
  acceptedAt: text,
  call: z.optional(
    z.object({ endpoint: z.enum(['message/v3', 'intent/v2']), body: z.record(z.string(), z.unknown()) }),
  ),
  why: text,
});

/** Reads a contact's item; throws when somebody else has written there what is none. */
export const readContactItem = (item: unknown): Contact => z.parse(contactSchema, item);

/** Reads a send's item; throws when somebody else has written there what is none. */
export const readSendItem = (item: unknown): StoredSend => z.parse(sendSchema, item);
