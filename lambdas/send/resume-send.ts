import { LoggableError } from '../domain/errors.ts';
import { msBetween } from '../domain/instant.ts';
import { acceptedMessage, logFieldsOf, mayResend, type QueuedSend, type SendRecord } from '../domain/send.ts';
import { parseSendRequest } from '../domain/send-request.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { recordMessage } from '../runtime/record-message.ts';
import { confirmByTransactions } from './confirm-by-transactions.ts';
import type { SendContext } from './send-context.ts';

export const SOON: MessageResult = { kind: 'retry', afterMs: 1_000 };

/** Whether a request may be sent later although its item refuses a write now: it waits, or is to be resent. */
export const mayBeSentLater = ({ body, request }: QueuedSend, stored: SendRecord): boolean => {
  const { state, unknownOutcomes, isAnswered = false } = stored;
  const isResent =
    state === 'uncertain' && request.onUncertain === 'resend' && mayResend(unknownOutcomes + 1, isAnswered);
  return stored.body === body && (state === 'waiting' || isResent);
};

/**
 * Resumes a send that is already claimed or has ended, because SQS delivered its message twice or the function that
 * claimed it died. Repeats any steps that may be missing after the result was recorded, but never the call.
 */
export const resumeSend = async (
  context: SendContext,
  send: QueuedSend,
  stored: SendRecord,
): Promise<MessageResult> => {
  const { deadLetters, log, clock } = context;
  const { traceparent = send.traceparent } = stored;
  const fields = logFieldsOf({ ...send, traceparent });
  if (stored.erasedAt !== undefined) {
    log.info('request not sent: its contact was erased', fields);
    return DONE;
  }
  if (stored.body !== send.body) {
    // A keyword that is delivered again, to another business number or after an upgrade, is not confirmed twice.
    if (send.request.confirmsOptOut && isConfirmation(stored)) {
      log.info('duplicate request ignored', { ...fields, state: stored.state });
      return DONE;
    }
    log.warn('request id reused with another body', logFieldsOf(send));
    await deadLetters.put(send, 'REQUEST_ID_REUSED: another request with this id was received before.');
    return DONE;
  }
  switch (stored.state) {
    case 'claimed':
      return resumeClaim(context, { ...send, traceparent }, stored);
    case 'queued':
    case 'scheduled':
    case 'waiting':
      return SOON;
    case 'accepted':
    case 'failed':
    case 'uncertain': {
      // An uncertain send has none.
      const message = acceptedMessage(stored);
      if (message !== undefined) await recordMessage(context, message);
      else await confirmByTransactions(context, stored.requestId, stored.transactionIds ?? [], clock.now());
      break;
    }
    case 'refused':
      // The clock of the function that gave up on the request may be ahead.
      if (stored.code === 'PROCESSING_FAILED') return SOON;
      break;
    case 'rejected':
    case 'expired':
    case 'cancelled':
      break;
    default:
      stored.state satisfies never;
  }
  log.info('duplicate request ignored', { ...fields, state: stored.state });
  return DONE;
};

const isConfirmation = ({ body }: SendRecord): boolean => {
  const parsed = parseSendRequest(body);
  return parsed.kind === 'request' && parsed.request.confirmsOptOut === true;
};

/** Waits for another function's lease to expire. If the send is still claimed then, its outcome is unknown. */
const resumeClaim = async (
  { sends, clock, log, metrics }: SendContext,
  send: QueuedSend,
  { claimId, leaseUntil, unknownOutcomes }: SendRecord,
): Promise<MessageResult> => {
  const { requestId, onUncertain } = send.request;
  const now = clock.now();
  if (claimId === undefined || leaseUntil === undefined) {
    throw new LoggableError(`The claim of request ${requestId} has no id or lease.`);
  }
  if (now < leaseUntil) return { kind: 'retry', afterMs: msBetween(now, leaseUntil) };
  const outcome = 'The function that claimed the request died; it may or may not have called the chat service.';
  const recorded = await sends.recordResult(requestId, claimId, {
    state: 'uncertain',
    at: now,
    outcome,
    isAnswered: false,
  });
  if (recorded.kind !== 'applied') return SOON;
  metrics.count('SendUncertain');
  log.error('send uncertain', { ...logFieldsOf(send), why: outcome });
  return onUncertain === 'resend' && mayResend(unknownOutcomes + 1, false) ? SOON : DONE;
};
