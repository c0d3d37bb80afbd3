import type { ContactRef } from './contact.ts';
import type { Instant } from './instant.ts';
import type { RefusalCode, SendCall } from './send-decision.ts';
import type { SendRequest } from './send-request.ts';

/**
 * A send's states. `accepted`, `refused`, `rejected`, `expired` and `cancelled` are final. `scheduled` is not due yet;
 * `waiting` is tried again. `claimed` means that a function is calling, or died while it did. `uncertain` means that
 * nobody knows whether the message went out.
 */
export const SEND_STATES = [
  'claimed',
  'waiting',
  'accepted',
  'refused',
  'rejected',
  'expired',
  'uncertain',
  'scheduled',
  'cancelled',
] as const;

export type SendState = (typeof SEND_STATES)[number];

/** A request with what identifies it on its way. */
export interface QueuedSend {
  readonly request: SendRequest;
  /** The queue message's body as it came: two bodies under one request id are two requests. */
  readonly body: string;
  readonly contact: ContactRef;
  /** Of the message's copy in the dead-letter queue: its group, and an id by which a second copy is dropped. */
  readonly groupId: string;
  readonly deduplicationId: string;
  /** False where the queue has handed the message out before. @default true */
  readonly isFirstReceive?: boolean;
}

/** The right to make one call for a request, until the lease is over. */
export interface Claim {
  readonly claimId: string;
  readonly claimedAt: Instant;
  readonly leaseUntil: Instant;
  /** What is about to be called, and why. */
  readonly call: SendCall;
  readonly why: string;
}

/** How a send stands in the table, as far as the next step needs it. */
export interface StoredSend {
  readonly state: SendState;
  readonly body: string;
  readonly claimId?: string;
  readonly leaseUntil?: Instant;
  readonly attempts: number;
  readonly messageId?: string;
  readonly claimedAt?: Instant;
  readonly call?: SendCall;
  readonly why?: string;
  /** When the contact was erased, and the body with it. */
  readonly erasedAt?: Instant;
}

/** How a send ends, or goes back to waiting, and why, in a sentence. */
export type Conclusion = { readonly at: Instant; readonly why: string } & (
  | { readonly state: 'accepted'; readonly messageId: string; readonly call: SendCall }
  | { readonly state: 'refused'; readonly code: RefusalCode }
  | { readonly state: 'expired' | 'rejected' | 'uncertain' | 'waiting' }
);

/**
 * What the conversation keeps of an accepted send. Whoever learns of the acceptance, from the answer or from a status,
 * writes the same, hence the claim's time and not that of the answer.
 */
export interface OutboundMessage {
  readonly id: string;
  readonly requestId: string;
  readonly contact: ContactRef;
  readonly call: SendCall;
  readonly claimedAt: Instant;
}
