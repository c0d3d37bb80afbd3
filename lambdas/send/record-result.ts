import { backoffMs, parseRetryAfterMs } from '../domain/backoff.ts';
import type { FinalDecision } from '../domain/decision.ts';
import type { MetricName } from '../domain/metric-names.ts';
import {
  acceptedMessage,
  logFieldsOf,
  mayResend,
  type QueuedSend,
  type SendResult,
  type UncalledResult,
} from '../domain/send.ts';
import type { SendOutcome } from '../domain/send-outcome.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { recordMessage, reportIdOfAnotherContact } from '../runtime/record-message.ts';
import { repeatUntil } from '../runtime/time-budget.ts';
import type { CompletedCall } from './call-service.ts';
import type { ClaimedSend } from './claim-send.ts';
import { confirmByTransactions } from './confirm-by-transactions.ts';
import { retryLater } from './retry-later.ts';
import type { SendContext } from './send-context.ts';

/** A call that the chat service accepted. */
interface AcceptedCall extends CompletedCall {
  readonly outcome: Extract<SendOutcome, { kind: 'accepted' }>;
}

/** SQS keeps a message invisible for at most 12 hours in total, so this leaves an hour for the time already passed. */
const MAX_RETRY_AFTER_MS = 11 * 60 * 60 * 1000;

/** A call that is blocked as often, for about a day, is blocked for good and must not delay its contact any longer. */
const MAX_BLOCKED_ATTEMPTS = 100;

const METRIC: Record<SendResult['state'], MetricName> = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  waiting: 'SendWaiting',
};

/** Counts and logs the result of a send. */
export const reportResult = (
  { log, metrics }: Pick<SendContext, 'log' | 'metrics'>,
  send: QueuedSend,
  result: SendResult,
): MessageResult => {
  const { state } = result;
  const why = 'outcome' in result ? result.outcome : result.decision;
  metrics.count(METRIC[state]);
  // Without the chat service's message, which can quote the request, because erasures do not reach the logs.
  log.info(`send ${state}`, { ...logFieldsOf(send), why });
  return DONE;
};

/** Records the decision not to send a request that is already claimed. */
export const recordDecision = async (
  context: SendContext,
  send: QueuedSend,
  claimId: string,
  decision: FinalDecision,
): Promise<MessageResult> => {
  await record(context, send, claimId, resultOf(decision, context.clock.now()));
  return DONE;
};

/** Records the outcome of a claimed call. */
export const recordCall = async (
  context: SendContext,
  claimed: ClaimedSend,
  { call, outcome, ended }: CompletedCall,
): Promise<MessageResult> => {
  const { clock, randomness } = context;
  const { send, attempt, unknownOutcomes } = claimed;
  const { claimId } = claimed.claim;
  const at = clock.now();
  const backoff = () => backoffMs(attempt, randomness.random());
  switch (outcome.kind) {
    case 'accepted':
      return recordAccepted(context, claimed, { call, outcome });
    case 'not-done': {
      const { cause, explanation, details: outcomeDetails, retryAfter } = outcome;
      if (cause === 'blocked' && attempt >= MAX_BLOCKED_ATTEMPTS) {
        const reason = `${explanation}, at attempt ${attempt}`;
        await record(context, send, claimId, { state: 'rejected', at, outcome: reason, outcomeDetails });
        return DONE;
      }
      const result = { state: 'waiting' as const, at, outcome: explanation, outcomeDetails };
      const { isConfirmed } = await record(context, send, claimId, result);
      if (isConfirmed) return DONE;
      return retryLater(context, send, Math.max(requestedWaitMs(retryAfter, at, randomness.random()), backoff()));
    }
    case 'uncertain': {
      const { explanation, details: outcomeDetails, isAnswered, transactionIds = [] } = outcome;
      const { isConfirmed } = await record(context, send, claimId, {
        state: 'uncertain',
        at,
        outcome: explanation,
        outcomeDetails,
        isAnswered,
        transactionIds: listed(transactionIds),
      });
      await confirm(context, send, transactionIds);
      const isResent = send.request.onUncertain === 'resend' && mayResend(unknownOutcomes + 1, isAnswered);
      return isResent && !isConfirmed ? retryLater(context, send, backoff()) : DONE;
    }
    case 'rejected': {
      const { code, explanation, details: outcomeDetails } = outcome;
      const result = { state: 'rejected' as const, at, code: code?.toString(), outcome: explanation, outcomeDetails };
      await record(context, send, claimId, result);
      return DONE;
    }
    case 'window-closed': {
      const why = 'The chat service answered the template with error 201.';
      const result = ended ? resultOf(ended, at) : { state: 'rejected' as const, at, code: '201', outcome: why };
      await record(context, send, claimId, result);
      return DONE;
    }
  }
};

const recordAccepted = async (
  context: SendContext,
  { send, claim: { claimId, claimedAt }, attempt }: ClaimedSend,
  { call, outcome: { messageId, transactionIds = [] } }: AcceptedCall,
): Promise<MessageResult> => {
  const { sends, messages, clock } = context;
  const { contact, request, traceparent } = send;
  const { requestId, customerId } = request;
  const recordOutbound = (id: string) =>
    messages.recordOutbound({ id, requestId, contact, customerId, call, claimedAt, attempt, traceparent });
  const [, failed] = await Promise.all([
    record(context, send, claimId, {
      state: 'accepted',
      at: clock.now(),
      messageId,
      transactionIds: listed(transactionIds),
      outcome: describeAccepted(messageId, transactionIds),
    }),
    messageId === undefined ? undefined : write(context, send, () => recordOutbound(messageId)),
  ]);
  // Only an accepted send can fail.
  if (messageId !== undefined && failed !== undefined) {
    if (failed === 'other-user') reportIdOfAnotherContact(context, { id: messageId, requestId });
    else await write(context, send, () => sends.fail(requestId, { messageId, ...failed }));
  }
  await confirm(context, send, transactionIds);
  return DONE;
};

/** Records a result. Returns whether a status has already confirmed the send, which takes precedence. */
const record = async (
  context: SendContext,
  send: QueuedSend,
  claimId: string,
  result: SendResult,
): Promise<{ readonly isConfirmed: boolean }> => {
  const { sends, log } = context;
  const recorded = await write(context, send, () => sends.recordResult(send.request.requestId, claimId, result));
  const isConfirmed = recorded.kind === 'conflict' && recorded.send.confirmedBy !== undefined;
  const fields = { ...logFieldsOf(send), claimId, state: result.state };
  if (recorded.kind === 'applied') reportResult(context, send, result);
  else if (isConfirmed) log.info('result not recorded: a status already confirmed the send', fields);
  else log.error('result not recorded: the claim was lost', fields);
  // A status recorded the message as that of this call. If this call sent nothing, it is that of an earlier call.
  const message = isConfirmed ? acceptedMessage(recorded.send) : undefined;
  if (message !== undefined) await write(context, send, () => recordMessage(context, message));
  return { isConfirmed };
};

/** Finds the message of a call whose answer had only the ids of a job. */
const confirm = (context: SendContext, send: QueuedSend, transactionIds: readonly string[]): Promise<void> =>
  write(context, send, () =>
    confirmByTransactions(context, send.request.requestId, transactionIds, context.clock.now()),
  );

/** Retries a write until the invocation ends, because a known outcome must not be lost. */
const write = <Written>(
  context: SendContext,
  { endBy }: QueuedSend,
  attempt: () => Promise<Written>,
): Promise<Written> => repeatUntil(endBy, attempt, context);

/** The result of a decision that needs no call. */
export const resultOf = (decision: FinalDecision, at: string): UncalledResult =>
  decision.kind === 'refuse'
    ? { state: 'refused', at, code: decision.code, decision: decision.why }
    : { state: 'expired', at, decision: decision.why };

/** Items do not store empty lists. */
const listed = (ids: readonly string[]) => (ids.length === 0 ? undefined : ids);

const describeAccepted = (messageId: string | undefined, transactionIds: readonly string[]): string => {
  if (messageId !== undefined) return `The chat service accepted it with the id ${messageId}.`;
  return transactionIds.length === 0
    ? 'The chat service accepted it without returning an id.'
    : `The chat service accepted it as a job, with the id ${transactionIds.join(' and ')}.`;
};

/** Returns the delay that the chat service requests, plus up to 10% of jitter. */
const requestedWaitMs = (retryAfter: string | undefined, now: string, random: number): number => {
  const requestedMs = parseRetryAfterMs(retryAfter, Date.parse(now));
  return requestedMs === undefined ? 0 : Math.min(Math.round(requestedMs * (1 + random / 10)), MAX_RETRY_AFTER_MS);
};
