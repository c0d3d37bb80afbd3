import type { ContactRef, CustomerRef } from './contact.ts';
import { DEAD_LETTER_QUEUES } from './dead-letter.ts';
import type { Instant } from './instant.ts';
import * as z from './schema.ts';

/** What the audit trail records. */
export const AUDIT_ACTIONS = [
  'opt-in',
  'opt-out',
  'erasure',
  'handover',
  'handback',
  'separation',
  'separation-reversal',
  'cancellation',
  'requeue',
  'resolution',
  'redrive',
  'dead-letter-deletion',
  'access-token-change',
  'sending-stop',
  'sending-resumption',
  'circuit-breaker-closure',
  'webhook-secret-change',
  'import',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The IAM identity that signed a call. */
export interface Caller {
  /** The ARN, which for an assumed role contains the name of the session. */
  readonly arn: string;
  /** The unique ID, which AWS never reuses, even for a principal with the same name. */
  readonly id?: string;
}

const text = z.optional(z.string());
const number = z.optional(z.number());

/** The details of an action. All are optional, because each action has different ones. */
export const auditDetails = z.object({
  /** The address of the contact, as the call or the request named it. */
  platformContactId: text,
  /** For a consent: when and where it was given or withdrawn, and its origin. */
  consentAt: text,
  source: text,
  origin: text,
  /**
   * For a separation: the customer that is not, or is again, the contact's user. Otherwise, the customer of a request that
   * names no address.
   */
  customerId: text,
  /** The erasure. The entry of an erasure never names the contact. */
  erasureId: text,
  /** The send that was cancelled, queued, or resolved. */
  requestId: text,
  /** For a resolution. */
  outcome: text,
  messageId: text,
  /** For a resolution, a handover, or a separation; also why sending was stopped or resumed, or why a probe is due. */
  note: text,
  /** Which dead letters: those of a queue, optionally only one, or only those whose reason contains a string. */
  queue: z.optional(z.enum(DEAD_LETTER_QUEUES)),
  deadLetterId: text,
  reason: text,
  /** For an import: how many events it has, how many of them are new, stored already, or unreadable, and from when. */
  events: number,
  missing: number,
  existing: number,
  unreadable: number,
  earliest: text,
  latest: text,
});

/** An action that a caller requested. */
export interface AuditedAct {
  readonly action: AuditAction;
  /** The contact that the action concerns. An erasure of this contact removes it from the entry. */
  readonly contact?: ContactRef | undefined;
  /** The customer that it concerns, if no address is known. An erasure removes it in the same way. */
  readonly customer?: CustomerRef | undefined;
  readonly details: z.output<typeof auditDetails>;
}

/** An action with its caller and time. It is recorded before the action, so it says what was requested. */
export interface RequestedAct extends AuditedAct {
  readonly at: Instant;
  readonly caller: Caller;
}

/** An entry of the audit trail. */
export interface AuditEntry extends RequestedAct {
  /** Random, because an erasure keeps the ID, and a digest of the call would reveal the contact. */
  readonly id: string;
  /** When an erasure removed the contact, and the text about it, from the entry. */
  readonly erasedAt?: Instant;
}
