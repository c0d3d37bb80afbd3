import { createHash } from 'node:crypto';
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

/** The IAM identity that signed a call. */
export interface Caller {
  /** The ARN, which for an assumed role contains the name of the session. */
  readonly arn: string;
  /** The unique ID, which AWS never reuses, even for a principal with the same name. */
  readonly id?: string;
}

const text = z.optional(z.string());

/** The details of an action. All are optional, because each action has different ones. */
export const auditDetails = z.object({
  /** For a consent: when and where it was given or withdrawn, and its origin. */
  consentAt: text,
  source: text,
  origin: text,
  /** The erasure. The entry of an erasure never names the contact. */
  erasureId: text,
  /** The send that was cancelled or resolved. */
  requestId: text,
  /** For a resolution. */
  outcome: text,
  messageId: text,
  note: text,
  /** Which dead letters: those of a queue, optionally only one, or only those whose reason contains a string. */
  queue: z.optional(z.enum(KEPT_QUEUES)),
  deadLetterId: text,
  reason: text,
});

/** An action that a caller requested. */
export interface AuditedAct {
  readonly action: AuditAction;
  /** The contact that the action concerns. An erasure of this contact removes it from the entry. */
  readonly contact?: ContactRef;
  readonly details: z.output<typeof auditDetails>;
}

/** An entry of the audit trail. It is written before the action, so it says what was requested. */
export interface AuditEntry extends AuditedAct {
  readonly id: string;
  readonly at: Instant;
  readonly caller: Caller;
  /** When an erasure removed the contact, and the text about it, from the entry. */
  readonly erasedAt?: Instant;
}

/**
 * Creates the entry for an action. A call that is repeated within the same minute has the same ID, so a retry adds no
 * second entry. The caller cannot choose the ID, and so cannot hide an action behind an earlier entry.
 *
 * @param occurrence distinguishes actions that are otherwise the same, such as two resolutions of one send
 */
export const auditEntry = (caller: Caller, act: AuditedAct, at: Instant, occurrence = ''): AuditEntry => {
  const minute = at.slice(0, '2026-11-20T12:00'.length);
  const identity = JSON.stringify([minute, caller.arn, act.action, act.contact, act.details, occurrence]);
  return { ...act, id: createHash('sha256').update(identity).digest('hex').slice(0, 32), at, caller };
};
