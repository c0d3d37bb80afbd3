import * as z from './schema.ts';
import { SEND_STATES } from './send-state.ts';

const text = z.optional(z.string());
const instant = z.optional(z.string());

/** All that the table keeps of a send. Before anybody has claimed it, it is `queued`. */
export const sendRecord = z.object({
  requestId: z.string(),
  state: z._default(z.enum(['queued', ...SEND_STATES]), 'queued'),
  code: text,
  why: text,
  /** The queue message's body. */
  body: text,
  contact: text,
  messageId: text,
  claimId: text,
  call: z.optional(
    z.object({ endpoint: z.enum(['message/v3', 'intent/v2']), body: z.record(z.string(), z.unknown()) }),
  ),
  attempts: z._default(z.number(), 0),
  sendAt: instant,
  queuedAt: instant,
  scheduledAt: instant,
  cancelledAt: instant,
  claimedAt: instant,
  waitingAt: instant,
  acceptedAt: instant,
  refusedAt: instant,
  rejectedAt: instant,
  expiredAt: instant,
  uncertainAt: instant,
  erasedAt: instant,
});

export type SendRecord = z.output<typeof sendRecord>;

/** How an operator ends what nobody could know, or has a send tried again. */
export type Settlement = { readonly at: string; readonly why: string } & (
  | { readonly outcome: 'accepted'; readonly messageId: string }
  | { readonly outcome: 'failed' }
  | { readonly outcome: 'resend' }
);

/** The states that an outcome may follow: only what is uncertain is settled; what was rejected may be tried again. */
export const SETTLEABLE: Readonly<Record<Settlement['outcome'], readonly SendRecord['state'][]>> = {
  accepted: ['uncertain'],
  failed: ['uncertain'],
  resend: ['uncertain', 'rejected'],
};
