import type { SQSRecord } from 'aws-lambda';
import { LAST_RECEIVE } from '../domain/backoff.ts';
import type { ContactDefaults } from '../domain/contact.ts';
import { summarizeError } from '../domain/describe-error.ts';
import { ParleyError } from '../domain/errors.ts';
import { type Instant, msBetween } from '../domain/instant.ts';
import { MAX_FAILING_MS, MAX_QUEUED_MS, type QueuedSend } from '../domain/send.ts';
import { parseDueMessage } from '../domain/send-request.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { deadLetterOf, parseMessage } from './parse-message.ts';
import type { SendContext } from './send-context.ts';

/** Describes the SQS limit that a message is about to reach. Returns undefined if there is none. */
export const queueLimitReached = ({ attributes }: SQSRecord, now: Instant): string | undefined => {
  const receives = Number(attributes.ApproximateReceiveCount);
  if (queuedMs(attributes, now) >= MAX_QUEUED_MS) {
    return `It has been in the queue since ${sentAt(attributes)}; SQS keeps a message for 14 days.`;
  }
  return receives >= LAST_RECEIVE
    ? `It has been received ${receives} times; SQS delivers a message at most 1,000 times.`
    : undefined;
};

export const sentAt = ({ SentTimestamp }: SQSRecord['attributes']): Instant =>
  new Date(Number(SentTimestamp)).toISOString();

const queuedMs = (attributes: SQSRecord['attributes'], now: Instant): number => msBetween(sentAt(attributes), now);

/**
 * Creates the handler of messages that could not be processed. After a request has failed for a day, only this request
 * is put on the dead-letter queue, with the reason. Until then it is retried, and the contact's other requests wait
 * behind it. While the table is unavailable, no request is dead-lettered for its failures, because every request fails.
 */
export const createGiveUp = (context: SendContext) => {
  const { sends, deadLetters, clock, log, metrics, contactDefaults } = context;

  const deadLetter = async (message: SQSRecord, reason: string): Promise<MessageResult> => {
    await deadLetters.put(deadLetterOf(message, { body: message.body }), `PROCESSING_FAILED: ${reason}`);
    metrics.count('SendProcessingFailed');
    log.error('request dead-lettered: it could not be processed', { messageId: message.messageId, reason });
    return DONE;
  };

  /** Returns the request of a message. Returns undefined if there is none, which the next attempt handles. */
  const readSend = async (message: SQSRecord, endBy: Instant): Promise<QueuedSend | undefined> => {
    const dueRequestId = parseDueMessage(message.body);
    const stored = dueRequestId === undefined ? { body: message.body } : await sends.read(dueRequestId);
    if (stored === undefined) return undefined;
    const parsed = parseMessage(message, stored, contactDefaults, endBy);
    // A redrive of the dead letter has a new message.
    return parsed.kind === 'send' ? { ...parsed.send, firstQueuedAt: sentAt(message.attributes) } : undefined;
  };

  /**
   * Records why the request ends. A send that has already ended keeps its state. Without this record, a dead letter
   * could leave a send scheduled, for example, although nothing would send it.
   *
   * @throws the error of the table if a retry may still be able to record it
   */
  const recordEnd = async (
    message: SQSRecord,
    at: Instant,
    { decision, isLastChance }: { readonly decision: string; readonly isLastChance: boolean },
  ): Promise<void> => {
    try {
      const send = await readSend(message, at);
      if (send === undefined) return;
      await sends.recordWithoutCall(send, { state: 'refused', at, code: 'PROCESSING_FAILED', decision });
    } catch (error) {
      if (!isLastChance && !(error instanceof ParleyError)) throw error;
      log.warn('refusal could not be recorded', { messageId: message.messageId, error });
    }
  };

  return async (message: SQSRecord, error: unknown): Promise<MessageResult | undefined> => {
    const now = clock.now();
    const reason = summarizeError(error);
    if (queuedMs(message.attributes, now) >= MAX_QUEUED_MS) {
      const decision = `It has been in the queue since ${sentAt(message.attributes)}: ${reason}`;
      await recordEnd(message, now, { decision, isLastChance: true });
      return deadLetter(message, reason);
    }
    const request = requestOf(message, contactDefaults, now);
    if (request === undefined) return undefined;
    const failingSince = await sends.recordFailure(request, now);
    if (msBetween(failingSince, now) < MAX_FAILING_MS) return undefined;
    await recordEnd(message, now, { decision: `It has failed since ${failingSince}: ${reason}`, isLastChance: false });
    return deadLetter(message, reason);
  };
};

/** Returns the id and, unless the message is a due message, the body of a message's request. */
const requestOf = (
  message: SQSRecord,
  contactDefaults: ContactDefaults,
  endBy: Instant,
): { readonly requestId: string; readonly body?: string } | undefined => {
  const dueRequestId = parseDueMessage(message.body);
  if (dueRequestId !== undefined) return { requestId: dueRequestId };
  const parsed = parseMessage(message, { body: message.body }, contactDefaults, endBy);
  return parsed.kind === 'send' ? { requestId: parsed.send.request.requestId, body: message.body } : undefined;
};
