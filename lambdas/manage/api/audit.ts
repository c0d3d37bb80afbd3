import { AUDIT_ACTIONS, type AuditEntry, auditDetails } from '../../domain/audit.ts';
import type { ContactRef } from '../../domain/contact.ts';
import { DEAD_LETTER_QUEUES } from '../../domain/dead-letter.ts';
import { parseInstant } from '../../domain/instant.ts';
import { maskNumbers } from '../../domain/mask-numbers.ts';
import * as z from '../../domain/schema.ts';
import { instant } from '../../domain/send-request.ts';
import type { AuditRepository, Clock } from '../../ports.ts';
import { invalidField, ok, problemResponse } from './answer.ts';
import { cursorField, parseCursor, writeCursor } from './cursor.ts';
import { customerIdField } from './customers.ts';
import { defineRoute, ignoredQuery, noBody } from './define-route.ts';
import { chosenIdField, eventIdField, pageSize, storedContactFields } from './fields.ts';
import { selectUser, type UserPartPorts } from './user-parts.ts';

export interface AuditPorts {
  readonly audit: AuditRepository;
  readonly clock: Clock;
}

export type AuditListPorts = UserPartPorts & Pick<AuditPorts, 'audit'>;

export const auditEntryResponse = z.object({
  auditId: z.string(),
  /** When it was requested. */
  at: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  /** The ARN of who signed the call. For an assumed role, it contains the name of the session. */
  caller: z.string(),
  /** The caller's unique ID in IAM. */
  callerId: z.optional(z.string()),
  /** The contact that it concerns; `key` is the same for all spellings of the contact's ID. */
  contact: z.optional(z.object({ chatPlatform: z.string(), chatChannelNumber: z.string(), key: z.string() })),
  ...auditDetails.shape,
  /** When an erasure removed the contact, the source, and the note from the entry. */
  erasedAt: z.optional(z.string()),
});

export const auditResponse = z.object({ entries: z.array(auditEntryResponse), cursor: z.optional(z.string()) });

const DEFAULT_PAGE_SIZE = 100;

export const listAudit = defineRoute({
  route: 'GET /v1/audit',
  summary: 'List the audit trail, newest first',
  description:
    'Who requested which action: consents, erasures, cancellations, queued overdue sends, resolutions, redrives, ' +
    'deletions of dead letters, and changes of the access token and the webhook secrets. An entry is written before the action, so it says what was requested.',
  query: z.strictObject({
    /** The earliest and the latest time of an entry. */
    since: z.optional(instant),
    until: z.optional(instant),
    /** Only entries about this contact. */
    platformContactId: z.optional(eventIdField),
    /** Only entries about the addresses of this customer. */
    customerId: z.optional(customerIdField),
    ...storedContactFields,
    /** Entries per page. @default 100 */
    limit: z.optional(pageSize(500)),
    cursor: z.optional(cursorField),
  }),
  body: noBody,
  responses: { 200: auditResponse, 400: problemResponse, 409: problemResponse },
  async handle(ports: AuditListPorts, { query }) {
    const { cursor, limit = DEFAULT_PAGE_SIZE, platformContactId: contact } = query;
    const after = parseCursor(cursor);
    const [since, until] = [parseInstant(query.since), parseInstant(query.until)];
    if (since !== undefined && until !== undefined && since > until) {
      return invalidField('since', 'must not be later than `until`');
    }
    // The audit trail of an address is complete, whoever its user was.
    const partOf = async (subject: ContactRef) => ({ subject });
    const { user, refusal } = await selectUser(ports, { ...query, contact }, 'platformContactId', partOf);
    if (refusal !== undefined) return refusal;
    const page = await ports.audit.list({ since, until, ...(user && { user }) }, { limit, after });
    return ok({ entries: page.entries.map(viewEntry), cursor: page.next && writeCursor(page.next) });
  },
});

const reason = z.optional(z.boundedString(1024));

export const deadLetterQueueField = z.enum(DEAD_LETTER_QUEUES, `must be one of ${DEAD_LETTER_QUEUES.join(', ')}`);

/** An action that an operator performs with their own AWS permissions, and not through this API. */
const recordableAct = z.discriminatedUnion(
  'action',
  [
    z.strictObject({ action: z.enum(['access-token-change', 'webhook-secret-change']) }),
    z.strictObject({
      action: z.enum(['redrive', 'dead-letter-deletion']),
      queue: deadLetterQueueField,
      deadLetterId: z.optional(chosenIdField),
      /** Only dead letters whose reason contains this text. */
      reason,
    }),
  ],
  { error: 'must be access-token-change, webhook-secret-change, redrive, or dead-letter-deletion' },
);

export const recordAudit = defineRoute({
  route: 'POST /v1/audit',
  summary: 'Record an action that you are about to perform with your own AWS permissions',
  description:
    'The entry names the signer of the call. `parley` makes this call before it uses SQS or Secrets Manager.',
  query: ignoredQuery,
  body: recordableAct,
  responses: { 200: auditEntryResponse, 400: problemResponse },
  async handle({ audit, clock }: AuditPorts, { body: { action, ...details }, caller }) {
    const act = { action, details: withoutNumbersIn(details), at: clock.now(), caller };
    return ok(viewEntry(await audit.record(act)));
  },
});

/** An erasure does not find an entry without a contact, so the text of such an entry must not contain one. */
export const withoutNumbersIn = <Details extends AuditEntry['details']>(details: Details): Details => ({
  ...details,
  ...(details.reason !== undefined && { reason: maskNumbers(details.reason) }),
});

const viewEntry = ({ id, at, action, caller, contact, erasedAt, details }: AuditEntry) =>
  ({
    auditId: id,
    at,
    action,
    caller: caller.arn,
    callerId: caller.id,
    contact: contact && { chatPlatform: contact.platform, chatChannelNumber: contact.channel, key: contact.key },
    ...details,
    erasedAt,
  }) satisfies z.output<typeof auditEntryResponse>;
