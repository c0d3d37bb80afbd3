import type { AddressedRequest } from './addressed-request.ts';
import type { ContactRef, DataSubject } from './contact.ts';
import type { RefusalCode } from './decision.ts';
import { readEventField } from './event-content.ts';
import type { Instant } from './instant.ts';
import type { OutboundMessage } from './message.ts';
import * as z from './schema.ts';
import { isEarlierCallConfirmed, type SendCall } from './send-call.ts';
import type { SendRequest } from './send-request.ts';
import type { SendState } from './send-transitions.ts';
import { type Traceparent, traceFieldOf } from './trace-context.ts';

/** A request as received from the send queue. */
export interface QueuedSend {
  readonly request: SendRequest;
  /** The queue message's body as received. Two bodies with the same request id are two different requests. */
  readonly body: string;
  /** Its user: a contact, or the customer that the request names until a claim records an address. */
  readonly contact: DataSubject;
  /** The message group and deduplication id of the request's copy on the dead-letter queue. */
  readonly groupId: string;
  readonly deduplicationId: string;
  /** The trace of the request. Not part of the request: the same body in another trace is the same request. */
  readonly traceparent: Traceparent;
  /** When it was first queued. Absent if nothing counts from then. */
  readonly firstQueuedAt?: Instant;
  /** When the work on the request must be done, because the invocation ends. */
  readonly endBy: Instant;
}

/** A request whose address is known. */
export interface AddressedSend extends QueuedSend {
  readonly request: AddressedRequest;
  readonly contact: ContactRef;
}

/** The fields by which a line of a send is found in the logs. */
export const logFieldsOf = ({ request, traceparent }: Pick<QueuedSend, 'request' | 'traceparent'>) => ({
  requestId: request.requestId,
  ...traceFieldOf(traceparent),
});

/** The exclusive right to make one call for a request, until the lease expires. */
export interface Claim {
  readonly claimId: string;
  readonly claimedAt: Instant;
  readonly leaseUntil: Instant;
  /** The call about to be made. */
  readonly call: SendCall;
  /** Why this call is made, as a sentence. */
  readonly decision: string;
}

/**
 * The state that a send reaches. `decision` says why Parley makes no call; `outcome` gives the result of the call. Each
 * is one sentence. `outcomeDetails` is the chat service's message about the outcome, which can quote the request.
 */
export type SendResult = { readonly at: Instant } & (
  | {
      readonly state: 'accepted';
      readonly messageId?: string;
      readonly outcome: string;
      /** The chat service's ids of the call, by which later events name the message. @default none */
      readonly transactionIds?: readonly string[];
    }
  | { readonly state: 'refused'; readonly code: RefusalCode; readonly decision: string }
  | { readonly state: 'expired' | 'waiting'; readonly decision: string }
  | { readonly state: 'waiting'; readonly outcome: string; readonly outcomeDetails?: string }
  /** `code` is the chat service's. */
  | { readonly state: 'rejected'; readonly code?: string; readonly outcome: string; readonly outcomeDetails?: string }
  /** `isAnswered`: the chat service answered with a 2xx, so the request is not resent automatically. */
  | {
      readonly state: 'uncertain';
      readonly outcome: string;
      readonly outcomeDetails?: string;
      readonly isAnswered: boolean;
      readonly transactionIds?: readonly string[];
    }
);

/** A result that needs no call. */
export type UncalledResult = Extract<SendResult, { readonly decision: string }>;

const instant = z.optional(z.string());

/** When a send is due, and when it entered each state that it has been in. */
export const sendTimes = z.object({
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
  failedAt: instant,
  erasedAt: instant,
});

/** A send as the repository returns it. */
export interface SendRecord extends Readonly<z.output<typeof sendTimes>> {
  readonly requestId: string;
  readonly state: SendState;
  /** Why Parley refused it, or the chat service's code of its rejection, or the platform's of the message's failure. */
  readonly code?: string | undefined;
  /** Why Parley made its latest call, or why it made no call. */
  readonly decision?: string | undefined;
  /** The result: the chat service's answer, a status, or an operator's resolution. */
  readonly outcome?: string | undefined;
  /** The chat service's error message or the operator's note. Unlike the outcome, it is content. */
  readonly outcomeDetails?: string | undefined;
  /** The user; absent once erased, and until an address is chosen for a customer. */
  readonly contact?: ContactRef | undefined;
  /** The queue message's body; empty once its contact is erased. */
  readonly body: string;
  /** When it was first queued, if its `notAfter` counts from then, or if it was dead-lettered. */
  readonly firstQueuedAt?: Instant | undefined;
  /** From the request; unlike the request, an erasure keeps it. */
  readonly broadcastId?: string | undefined;
  readonly messageId?: string | undefined;
  /** The chat service's ids of the latest call, by which later events name the message. */
  readonly transactionIds?: readonly string[] | undefined;
  /** Why its message failed, as `describeFailure` describes it. */
  readonly failure?: string | undefined;
  /** The trace of whoever recorded the send first; absent once erased. */
  readonly traceparent?: Traceparent | undefined;
  readonly claimId?: string | undefined;
  readonly leaseUntil?: Instant | undefined;
  readonly call?: SendCall | undefined;
  /** An earlier call whose outcome is unknown, with the time and the number of its claim. A late status can belong to it. */
  readonly unknownCall?: (SendCall & { readonly claimedAt: Instant; readonly attempt: number }) | undefined;
  /** The latest claim whose call is known to have sent nothing. */
  readonly unsentClaimId?: string | undefined;
  readonly attempts: number;
  /** Calls that ended without a known outcome; the latest one is not counted while the send is `uncertain`. */
  readonly unknownOutcomes: number;
  /** Present if the chat service answered with a 2xx that leaves the outcome unknown. */
  readonly isAnswered?: boolean | undefined;
  /** Present while the acceptance is known only from a status. */
  readonly confirmedBy?: string | undefined;
}

/** Returns the call whose message was accepted, with the time and the number of its claim. */
export const acceptedCall = (send: SendRecord): Pick<SendRecord, 'call' | 'claimedAt'> & { attempt: number } => {
  const { call, claimedAt, attempts, unknownCall } = send;
  if (unknownCall === undefined || !isEarlierCallConfirmed(send)) return { call, claimedAt, attempt: attempts };
  const { endpoint, body, claimedAt: earlierAt, attempt } = unknownCall;
  return { call: { endpoint, body }, claimedAt: earlierAt, attempt };
};

/** Returns the message of an accepted send, or undefined if its ID or its call is not known, or if it was erased. */
export const acceptedMessage = (send: SendRecord): OutboundMessage | undefined => {
  const { requestId, messageId: id, contact, traceparent } = send;
  const { call, claimedAt, attempt } = acceptedCall(send);
  return id && contact && call && claimedAt
    ? { id, requestId, contact, ...customerOf(send), call, claimedAt, attempt, traceparent }
    : undefined;
};

/** Returns the customer whom a request names in place of an address. */
export const customerOf = ({ body }: Pick<SendRecord, 'body'>): { readonly customerId?: string } => {
  const customerId = readEventField(body, 'customerId');
  return customerId === undefined ? {} : { customerId };
};

/** An operator's decision on a send whose outcome is unknown, or on a rejected one. */
export type Resolution = { readonly at: Instant; readonly why: string; readonly note?: string } & (
  | { readonly outcome: 'accepted'; readonly messageId: string }
  | { readonly outcome: 'failed' }
  | { readonly outcome: 'resend' }
);

/** The transition that each outcome of a resolution makes. */
export const RESOLUTIONS = { accepted: 'resolveAccepted', failed: 'resolveFailed', resend: 'resend' } as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a request may fail before it is dead-lettered and no longer delays its contact's other requests. */
export const MAX_FAILING_MS = DAY_MS;

/**
 * How long a request may be in the queue, however often it is received: one day less than SQS keeps a message, because
 * an earlier message of its group may still block it. A request that is retried continuously uses up its
 * receives earlier, after `MAX_RETRIED_MS`.
 */
export const MAX_QUEUED_MS = 13 * DAY_MS;

/**
 * After this many unknown outcomes, a send stays `uncertain`, even with `onUncertain: resend`: each of the calls may
 * have reached the user.
 */
export const MAX_UNKNOWN_OUTCOMES = 5;

/** Whether a send that says `onUncertain: resend` may be sent again after this many unknown outcomes. */
export const mayResend = (unknownOutcomes: number, isAnswered: boolean): boolean =>
  !isAnswered && unknownOutcomes < MAX_UNKNOWN_OUTCOMES;
