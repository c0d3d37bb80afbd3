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

/** An entry of the audit trail. It is written before the act, so it says what was requested. */
export interface AuditEntry extends AuditedAct {
  readonly id: string;
  readonly at: Instant;
  readonly caller: Caller;
  /** When an erasure removed the contact, and what was written about it, from the entry. */
  readonly erasedAt?: Instant;
}

/**
 * Creates the entry of an act. A call that is repeated within the same minute has the same ID, so a retry adds no second
 * entry. The ID depends on nothing that the caller chooses alone, so nobody can hide an act behind an earlier entry.
 *
 * @param occurrence distinguishes acts that are otherwise the same, such as two resolutions of one send
 */
export const auditEntry = (caller: Caller, act: AuditedAct, at: Instant, occurrence = ''): AuditEntry => {
  const minute = at.slice(0, '2026-11-20T12:00'.length);
  const identity = JSON.stringify([minute, caller.arn, act.action, act.contact, act.details, occurrence]);
  return { ...act, id: createHash('sha256').update(identity).digest('hex').slice(0, 32), at, caller };
};
