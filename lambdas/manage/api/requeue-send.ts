import { createHash } from 'node:crypto';
import { addresseeOf } from '../../domain/addressed-request.ts';
import { messageGroup } from '../../domain/contact.ts';
import * as z from '../../domain/schema.ts';
import type { SendRecord } from '../../domain/send.ts';
import { parseSendRequest, serializeDueMessage } from '../../domain/send-request.ts';
import type { AuditRepository, Clock, SendQueue, SendRepository } from '../../ports.ts';
import { type Answer, ok, problem, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery } from './define-route.ts';
import { requestIdField } from './fields.ts';
import { addressOf, sendNotFound, sendResponse, viewSend } from './sends.ts';

export interface RequeueSendPorts {
  readonly sends: Pick<SendRepository, 'read'>;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly queue: SendQueue;
  readonly clock: Clock;
}

/**
 * Does what the send's schedule should have done. It changes nothing in the table, so it can be repeated, and a schedule
 * that is only late does no harm: each message on the queue must claim the send, and only one of them can.
 */
export const requeueSend = defineRoute({
  route: 'POST /v1/requeues',
  summary: 'Queue a scheduled send that is overdue',
  description:
    'For a send that is still scheduled although its sendAt has passed, because its schedule is lost or late. A send ' +
    'that has left that state is returned as it is. 409 means that the send was never scheduled or is not due yet.',
  query: ignoredQuery,
  body: z.strictObject({ requestId: requestIdField }),
  responses: { 200: sendResponse, 400: problemResponse, 404: problemResponse, 409: problemResponse },
  async handle({ sends, audit, queue, clock }: RequeueSendPorts, { body: { requestId }, caller }) {
    const send = await sends.read(requestId);
    if (!send) return sendNotFound(requestId);
    if (send.scheduledAt === undefined) return notOverdue(send, 'was never scheduled');
    if (send.state === 'cancelled') return notOverdue(send, 'is cancelled');
    // It became due, perhaps by an earlier call.
    if (send.state !== 'scheduled') return ok(viewSend(send));
    const now = clock.now();
    if (send.sendAt !== undefined && send.sendAt > now) return notOverdue(send, `is due at ${send.sendAt}`);
    const parsed = parseSendRequest(send.body);
    if (parsed.kind === 'malformed') return notOverdue(send, 'has no request that can be queued');
    const { contact, customer } = send;
    const details = { requestId, platformContactId: addressOf(send) };
    await audit.record({ action: 'requeue', contact, customer, details, at: now, caller });
    await queue.put({
      body: serializeDueMessage(requestId),
      groupId: messageGroup(addresseeOf(parsed.request)),
      deduplicationId: createHash('sha256').update(`requeue ${requestId}`).digest('hex'),
      ...(send.traceparent && { traceparent: send.traceparent }),
    });
    return ok(viewSend(send));
  },
});

const notOverdue = ({ requestId }: SendRecord, why: string): Answer =>
  problem(409, 'NOT_OVERDUE', `The send ${requestId} ${why}; only a scheduled send that is overdue can be queued.`);
