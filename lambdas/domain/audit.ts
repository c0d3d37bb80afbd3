import type { ContactRef } from './contact.ts';
import { KEPT_QUEUES } from './dead-letter.ts';
import type { Instant } from './instant.ts';
import * as z from './schema.ts';

/** What the audit trail records. */
export const AUDIT_ACTIONS = [
  'opt-in',
  'opt-out',
  'erasure',
  'cancellation',
  'resolution',
  'redrive',
  'dead-letter-deletion',
  'access-token-change',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who signed a call, as IAM knows them. */
export interface Caller {
  /** The ARN, which for an assumed role contains the name of the session. */
  readonly arn: string;
  /** The unique ID, which AWS never gives to another principal, even one of the same name. */
  readonly id?: string;
}

const text = z.optional(z.string());

/** What an entry says about the act. All of it is optional, because each action has its own. */
export const auditDetails = z.object({
  /** Of a consent: when it was given or withdrawn, where, and who says so. */
  consentAt: text,
  source: text,
  origin: text,
  /** The erasure. An erasure's own entry never names the contact. */
  erasureId: text,
  /** The send that was cancelled or resolved. */
  requestId: text,
  /** Of a resolution. */
  outcome: text,
  messageId: text,
  note: text,
  /** Which dead letters: a queue, and optionally a single one, or those whose reason contains a text. */
  queue: z.optional(z.enum(KEPT_QUEUES)),
  deadLetterId: text,
  reason: text,
});

/** An act that somebody asked for. */
export interface AuditedAct {
  readonly action: AuditAction;
  /** Whom it concerns. An erasure of this contact removes it from the entry. */
  readonly contact?: ContactRef;
  readonly details: z.output<typeof auditDetails>;
}

/** An act with who asked for it, and when. It is recorded before the act, so it says what was requested. */
export interface RequestedAct extends AuditedAct {
  readonly at: Instant;
  readonly caller: Caller;
}

/** An entry of the audit trail. */
export interface AuditEntry extends RequestedAct {
  /** Random: an erasure keeps the ID, so it must reveal nothing about the contact, as a digest of the call would. */
  readonly id: string;
  /** When an erasure removed the contact, and what was written about it, from the entry. */
  readonly erasedAt?: Instant;
}
