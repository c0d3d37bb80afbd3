import { withoutCredentials } from '../../domain/buffered-request.ts';
import { isKept, KEPT_QUEUES } from '../../domain/dead-letter.ts';
import * as z from '../../domain/schema.ts';
import type { AuditRepository, Clock, KeptDeadLetterRepository } from '../../ports.ts';
import { type Answer, ok, problem, problemResponse } from './answer.ts';
import { cursorField, parseCursor, writeCursor } from './cursor.ts';
import { defineRoute, noBody, noQuery } from './define-route.ts';
import { chosenIdField, pageSize } from './fields.ts';

export interface DeadLetterPorts {
  readonly deadLetters: Pick<KeptDeadLetterRepository, 'list' | 'read' | 'delete'>;
  readonly clock: Clock;
}

export interface DeletionPorts extends DeadLetterPorts {
  readonly audit: Pick<AuditRepository, 'record'>;
}

const keptDeadLetter = z.object({
  id: z.string(),
  queue: z.enum(KEPT_QUEUES),
  /** Why the message is a dead letter. */
  reason: z.string(),
  groupId: z.optional(z.string()),
  /** The W3C trace context of the request. Put it on the queue as an attribute of the message. */
  traceparent: z.optional(z.string()),
  /** When the message was first put on a queue. */
  since: z.string(),
  /** When it moved from the dead-letter queue to the table. */
  keptAt: z.string(),
});

export const deadLetterResponse = z.object({ ...keptDeadLetter.shape, body: z.string() });
export const deadLettersResponse = z.object({
  deadLetters: z.array(keptDeadLetter),
  cursor: z.optional(z.string()),
});

const DEFAULT_PAGE_SIZE = 100;

export const listDeadLetters = defineRoute({
  route: 'GET /v1/dead-letters',
  summary: 'List the dead letters that are kept in the table, oldest first',
  description:
    'A dead letter moves to the table after seven days in its queue, or earlier if it hides others from an erasure. ' +
    'It stays there until it is deleted. The list does not contain the dead letters that are still in the queue, nor ' +
    'those whose move began less than 90 seconds ago.',
  query: z.strictObject({
    queue: z.enum(KEPT_QUEUES, `must be one of ${KEPT_QUEUES.join(', ')}`),
    /** Dead letters per page. @default 100 */
    limit: z.optional(pageSize(500)),
    cursor: z.optional(cursorField),
  }),
  body: noBody,
  responses: { 200: deadLettersResponse, 400: problemResponse },
  async handle({ deadLetters, clock }: DeadLetterPorts, { query: { queue, cursor, limit = DEFAULT_PAGE_SIZE } }) {
    const after = parseCursor(cursor);
    const page = await deadLetters.list(queue, { limit, after });
    const now = clock.now();
    const kept = page.deadLetters.filter(({ keptAt }) => isKept(keptAt, now));
    return ok({ deadLetters: kept, cursor: page.next && writeCursor(page.next) });
  },
});

export const getDeadLetter = defineRoute({
  route: 'GET /v1/dead-letters/{deadLetterId}',
  summary: 'Get a dead letter that is kept in the table',
  description: 'The credentials of a webhook request that was never verified are masked.',
  id: chosenIdField,
  query: noQuery,
  body: noBody,
  responses: { 200: deadLetterResponse, 400: problemResponse, 404: problemResponse },
  async handle({ deadLetters, clock }: DeadLetterPorts, { id }) {
    const deadLetter = await deadLetters.read(id);
    return deadLetter && isKept(deadLetter.keptAt, clock.now())
      ? ok({ ...deadLetter, body: withoutCredentials(deadLetter.body) })
      : notFound(id);
  },
});

export const deleteDeadLetter = defineRoute({
  route: 'DELETE /v1/dead-letters/{deadLetterId}',
  summary: 'Delete a dead letter that is kept in the table',
  description: 'Delete a dead letter after putting it back on its queue, or to discard it. This cannot be undone.',
  id: chosenIdField,
  query: noQuery,
  body: noBody,
  responses: { 200: z.object({ id: z.string() }), 400: problemResponse, 404: problemResponse },
  async handle({ deadLetters, audit, clock }: DeletionPorts, { id, caller }) {
    const deadLetter = await deadLetters.read(id);
    // After an interrupted deletion, the dead letter cannot be read, but the deletion was already recorded.
    if (deadLetter) {
      if (!isKept(deadLetter.keptAt, clock.now())) return notFound(id);
      const details = { deadLetterId: id, queue: deadLetter.queue };
      await audit.record({ action: 'dead-letter-deletion', details, at: clock.now(), caller });
    }
    return (await deadLetters.delete(id)) ? ok({ id }) : notFound(id);
  },
});

const notFound = (id: string): Answer =>
  problem(
    404,
    'DEAD_LETTER_NOT_FOUND',
    `There is no dead letter with the ID ${id} in the table. One that is being moved there can be found 90 seconds later.`,
  );
