import type { AccountState } from '../domain/account.ts';
import type { Contact } from '../domain/contact.ts';
import * as z from '../domain/schema.ts';
import { SEND_STATES, type StoredSend } from '../domain/send-state.ts';

const text = z.optional(z.string());

const contactSchema = z.object({
  address: text,
  lastInboundAt: text,
  windowDeniedAt: text,
  optInAt: text,
  optOutAt: text,
  checkedAt: text,
  checkedAddress: text,
});

const sendSchema = z.object({
  state: z.enum(SEND_STATES),
  body: z.string(),
  claimId: text,
  leaseUntil: text,
  attempts: z._default(z.number(), 0),
  messageId: text,
  claimedAt: text,
  settledBy: text,
  call: z.optional(
    z.object({ endpoint: z.enum(['message/v3', 'intent/v2']), body: z.record(z.string(), z.unknown()) }),
  ),
  why: text,
  erasedAt: text,
});

const accountSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('open') }),
  z.object({
    state: z.literal('held'),
    reason: z.enum(['no-credit', 'token']),
    why: z.string(),
    heldAt: z.string(),
    nextProbeAt: z.string(),
    probes: z._default(z.number(), 0),
    probeId: text,
  }),
]);

/** Reads an account's item, which is there only once the account has been held. */
export const readAccountItem = (item: unknown): AccountState & { readonly probeId?: string } => {
  if (item === undefined) return { kind: 'open' };
  const read = z.parse(accountSchema, item);
  return read.state === 'open' ? { kind: 'open' } : { kind: 'held', ...read };
};

/** Reads a contact's item; throws when somebody else has written there what is none. */
export const readContactItem = (item: unknown): Contact => z.parse(contactSchema, item);

/** Reads a send's item; throws when somebody else has written there what is none. */
export const readSendItem = (item: unknown): StoredSend & { readonly settledBy?: string } => z.parse(sendSchema, item);

/** Reads a send's item with its `sendAt`, if it has one. */
export const readScheduledItem = (item: unknown): StoredSend & { readonly sendAt?: string } =>
  z.parse(z.extend(sendSchema, { sendAt: text }), item);
