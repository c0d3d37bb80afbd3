import type { SQSRecord } from 'aws-lambda';
import { parseDuration } from '../domain/duration.ts';
import { addMs, type Instant, msBetween, parseInstant } from '../domain/instant.ts';
import type { QueuedSend } from '../domain/send.ts';
import { countFromSendAt, parseDueMessage } from '../domain/send-request.ts';
import { tooFarAhead } from '../domain/too-far-ahead.ts';
import { traceFieldOf } from '../domain/trace-context.ts';
import type { FifoMessage } from '../ports.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { queueLimitReached, sentAt } from './give-up.ts';
import { deadLetterOf, parseMessage, type StoredRequest } from './parse-message.ts';
import { expireSend } from './record-without-call.ts';
import { scheduleSend } from './schedule-send.ts';
import type { SendContext } from './send-context.ts';

/**
 * Creates the handler of messages from the send queue. It reads the request that a due message refers to, puts
 * malformed requests on the dead-letter queue, schedules requests whose `sendAt` is in the future, and sends all
 * others.
 *
 * @param sendMessage sends a request that is due
 */
export const createPrepareSend = (context: SendContext, sendMessage: (send: QueuedSend) => Promise<MessageResult>) => {
  const { sends, deadLetters, contactDefaults, defaultNotAfter, clock, log, metrics } = context;

  const deadLetterMalformed = async (message: FifoMessage, explanation: string): Promise<MessageResult> => {
    metrics.count('SendMalformed');
    log.warn('malformed request', { explanation, ...traceFieldOf(message.traceparent) });
    await deadLetters.put(message, `MALFORMED: ${explanation}`);
    return DONE;
  };

  const handleRequest = async (message: SQSRecord, stored: StoredRequest, endBy: Instant): Promise<MessageResult> => {
    const parsed = parseMessage(message, stored, contactDefaults, endBy);
    if (parsed.kind === 'malformed') return deadLetterMalformed(deadLetterOf(message, stored), parsed.explanation);
    const send = await resolveNotAfter(parsed.send, message);
    const now = clock.now();
    const limit = queueLimitReached(message, now);
    if (limit !== undefined) return expireSend(context, send, limit);
    const sendAt = parseInstant(send.request.sendAt);
    if (sendAt === undefined || sendAt <= now) return sendMessage(send);
    const fault = tooFarAhead(sendAt, now);
    return fault === undefined
      ? scheduleSend(context, send, sendAt, now)
      : deadLetterMalformed(send, `Not a send request: ${fault.field}: ${fault.fault}.`);
  };

  /**
   * Replaces a relative `notAfter` with its time. It counts from the `sendAt`, or from when the request was first queued:
   * a redriven or requeued request has a new message, but the table has the time of the first one.
   */
  const resolveNotAfter = async (send: QueuedSend, { attributes }: SQSRecord): Promise<QueuedSend> => {
    const { body } = send;
    const request = countFromSendAt(send.request, defaultNotAfter);
    const lifetimeMs = parseDuration(request.notAfter ?? defaultNotAfter);
    if (lifetimeMs === undefined) return { ...send, request };
    const stored = await sends.read(request.requestId);
    const queuedAt = sentAt(attributes);
    const earlier = stored?.body === body ? (stored.firstQueuedAt ?? queuedAt) : queuedAt;
    const firstQueuedAt = earlier < queuedAt ? earlier : queuedAt;
    return { ...send, firstQueuedAt, request: { ...request, notAfter: addMs(firstQueuedAt, lifetimeMs) } };
  };

  return async (message: SQSRecord, endBy: Instant): Promise<MessageResult> => {
    const dueRequestId = parseDueMessage(message.body);
    if (dueRequestId === undefined) return handleRequest(message, { body: message.body }, endBy);
    const send = await sends.read(dueRequestId);
    if (send === undefined || send.state === 'cancelled' || send.erasedAt !== undefined) {
      log.info('due request not sent: it was cancelled or erased, or is no longer stored', {
        requestId: dueRequestId,
        state: send?.state,
        ...traceFieldOf(send?.traceparent),
      });
      return DONE;
    }
    const now = clock.now();
    // Scheduler's clock may be ahead. The schedule no longer exists, so this message must wait until it is due.
    if (send.sendAt !== undefined && now < send.sendAt) return { kind: 'retry', afterMs: msBetween(now, send.sendAt) };
    return handleRequest(message, send, endBy);
  };
};
