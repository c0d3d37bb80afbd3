import type { Caller } from '../../domain/audit.ts';
import * as z from '../../domain/schema.ts';
import type { SendRecord } from '../../domain/send.ts';
import { canStartFrom } from '../../domain/send-transitions.ts';
import { traceFieldOf } from '../../domain/trace-context.ts';
import type { AuditRepository, Clock, Log, Metrics, SendRepository, SendScheduler } from '../../ports.ts';
import { type Answer, ok, problem, problemResponse } from './answer.ts';
import { defineRoute, ignoredQuery, noBody, noQuery } from './define-route.ts';
import { confinableIdField, requestIdField } from './fields.ts';
import { addressOf, sendNotFound, sendResponse, viewSend } from './sends.ts';

export interface CancelSendPorts {
  readonly sends: Pick<SendRepository, 'read' | 'cancel'>;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly scheduler: Pick<SendScheduler, 'cancel'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * A conditional write decides between the cancellation and the start of the send. The schedule is deleted afterward. A
 * schedule that still becomes due finds the send cancelled, and so does a message that is still in the queue.
 */
const cancel = async (ports: CancelSendPorts, requestId: string, caller: Caller): Promise<Answer> => {
  const { sends, audit, scheduler, clock, log, metrics } = ports;
  const known = await sends.read(requestId);
  if (!known) return sendNotFound(requestId);
  const now = clock.now();
  if (canStartFrom('cancel', known.state)) {
    const { contact, customer } = known;
    const details = { requestId, platformContactId: addressOf(known) };
    await audit.record({ action: 'cancellation', contact, customer, details, at: now, caller });
    // It could be waiting again by now, and then be cancelled without an entry.
  } else if (known.state !== 'cancelled') return notCancellable(known);
  const cancelled = await sends.cancel(requestId, now);
  if (cancelled.kind === 'missing') return sendNotFound(requestId);
  if (cancelled.kind === 'conflict' && cancelled.send.state !== 'cancelled') {
    return notCancellable(cancelled.send);
  }
  await scheduler.cancel(requestId);
  // A conflict is a repetition, by the caller or by a retry of the SDK.
  const isRepeated = cancelled.kind === 'conflict';
  if (!isRepeated) metrics.count('SendCancelled');
  log.info(isRepeated ? 'send was cancelled before' : 'send cancelled', {
    requestId,
    ...traceFieldOf(known.traceparent),
  });
  const send = await sends.read(requestId);
  return send ? ok(viewSend(send)) : sendNotFound(requestId);
};

const DESCRIPTION =
  'A cancelled send is never sent. 409 means that it is too late, because the send is being sent, may have been sent, ' +
  'or has ended. Cancelling does not need the queue, so it also works while sending is stopped.';
const responses = { 200: sendResponse, 400: problemResponse, 404: problemResponse, 409: problemResponse };

export const cancelSend = defineRoute({
  route: 'POST /v1/cancellations',
  summary: 'Cancel a send that is queued, scheduled, or waiting',
  description: DESCRIPTION,
  query: ignoredQuery,
  body: z.strictObject({ requestId: requestIdField }),
  responses,
  handle: (ports: CancelSendPorts, { body: { requestId }, caller }) => cancel(ports, requestId, caller),
});

export const cancelSendById = defineRoute({
  route: 'PUT /v1/cancellations/{requestId}',
  summary: 'Cancel a send, whose ID is in the path, that is queued, scheduled, or waiting',
  description: `IAM policies can confine a caller to a prefix of the ID. ${DESCRIPTION}`,
  id: confinableIdField,
  query: noQuery,
  body: noBody,
  responses,
  handle: (ports: CancelSendPorts, { id, caller }) => cancel(ports, id, caller),
});

const notCancellable = ({ requestId, state }: SendRecord): Answer =>
  problem(409, 'NOT_CANCELLABLE', `The send ${requestId} cannot be cancelled: it ${whyNot(state)}.`);

const whyNot = (state: SendRecord['state']): string => {
  switch (state) {
    case 'claimed':
      return 'is being sent; get it in a moment to see its result, and cancel it then if it is waiting';
    case 'uncertain':
      return 'may have been sent; resolve it instead';
    default:
      return `is ${state}; only a send that is queued, scheduled, or waiting can be cancelled`;
  }
};
