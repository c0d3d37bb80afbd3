import * as z from '../domain/schema.ts';
import type { SendRecord } from '../domain/send.ts';
import type { Clock, Log, Metrics, SendRepository, SendScheduler } from '../ports.ts';
import { type Answer, defineRoute, ignoredQuery, ok, problem, problemResponse, requestIdField } from './api.ts';
import { sendNotFound, sendResponse, viewSend } from './sends.ts';

export interface CancelSendPorts {
  readonly sends: Pick<SendRepository, 'read' | 'cancel'>;
  readonly scheduler: Pick<SendScheduler, 'cancel'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * A conditional write decides between the cancellation and the start of the send. The schedule is deleted afterward. If
 * it still becomes due, it finds the send cancelled.
 */
export const cancelSend = defineRoute({
  route: 'POST /v1/cancellations',
  summary: 'Cancel a scheduled send',
  query: ignoredQuery,
  body: z.strictObject({ requestId: requestIdField }),
  responses: { 200: sendResponse, 400: problemResponse, 404: problemResponse, 409: problemResponse },
  async handle({ sends, scheduler, clock, log, metrics }: CancelSendPorts, { body: { requestId } }) {
    const cancelled = await sends.cancel(requestId, clock.now());
    if (cancelled.kind === 'missing') return sendNotFound(requestId);
    if (cancelled.kind === 'conflict' && cancelled.send.state !== 'cancelled') {
      return notCancellable(cancelled.send);
    }
    await scheduler.cancel(requestId);
    // A conflict is a repetition, by the caller or by a retry of the SDK.
    const isRepeated = cancelled.kind === 'conflict';
    if (!isRepeated) metrics.count('SendCancelled');
    log.info(isRepeated ? 'send was cancelled before' : 'send cancelled', { requestId });
    const send = await sends.read(requestId);
    return send ? ok(viewSend(send)) : sendNotFound(requestId);
  },
});

const notCancellable = ({ requestId, state }: SendRecord): Answer => {
  const why =
    state === 'queued'
      ? 'is still in the queue; retry in a moment'
      : `is ${state}; only a scheduled send can be cancelled`;
  return problem(409, 'NOT_CANCELLABLE', `The send ${requestId} ${why}.`);
};
