import { backoffMs, heldWaitMs, parseRetryAfterMs } from '../domain/backoff.ts';
import type { OpenCircuit } from '../domain/circuit-breaker.ts';
import { type Instant, msBetween } from '../domain/instant.ts';
import type { MetricName } from '../domain/metric-names.ts';
import {
  acceptedMessage,
  type Claim,
  logFieldsOf,
  mayResend,
  type QueuedSend,
  type SendResult,
  type UncalledResult,
} from '../domain/send.ts';
import type { FinalDecision } from '../domain/send-decision.ts';
import { notAfterOf } from '../domain/send-request.ts';
import type { Stop } from '../domain/sending-stop.ts';
import type { Claimed, Clock, Log, MessageRepository, Metrics, Randomness, SendRepository, Sleep } from '../ports.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { recordSentMessage } from '../runtime/record-sent-message.ts';
import { repeatUntil } from '../runtime/time-budget.ts';
import type { CompletedCall } from './call-service.ts';
import { confirmByTransactions } from './confirm-by-transactions.ts';

export interface RecordResultOptions {
  readonly sends: Pick<SendRepository, 'recordResult' | 'confirm' | 'fail' | 'linkRequest'>;
  readonly messages: Pick<MessageRepository, 'recordOutbound'>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
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

/** Creates the functions that record the result of a send and decide what happens to its queue message. */
export const createRecordResult = (options: RecordResultOptions) => {
  const { sends, messages, clock, randomness, log, metrics } = options;

  const report = (send: QueuedSend, result: SendResult): MessageResult => {
    const { state } = result;
    const why = 'outcome' in result ? result.outcome : result.decision;
    metrics.count(METRIC[state]);
    // Without the chat service's message, which can quote the request, because erasures do not reach the logs.
    log.info(`send ${state}`, { ...logFieldsOf(send), why });
    return DONE;
  };

  /** Retries a write until the invocation ends, because a known outcome must not be lost. */
  const write = <Written>({ endBy }: QueuedSend, attempt: () => Promise<Written>): Promise<Written> =>
    repeatUntil(endBy, attempt, options);

  /** Records a result. Returns whether a status has already confirmed the send, which takes precedence. */
  const record = async (send: QueuedSend, claimId: string, result: SendResult): Promise<{ isConfirmed: boolean }> => {
    const { requestId } = send.request;
    const recorded = await write(send, () => sends.recordResult(requestId, claimId, result));
    const isConfirmed = recorded.kind === 'conflict' && recorded.send.confirmedBy !== undefined;
    const fields = { ...logFieldsOf(send), claimId, state: result.state };
    if (recorded.kind === 'applied') report(send, result);
    else if (isConfirmed) log.info('result not recorded: a status already confirmed the send', fields);
    else log.error('result not recorded: the claim was lost', fields);
    // A status recorded the message as that of this call. If this call sent nothing, it is that of an earlier call.
    const message = isConfirmed ? acceptedMessage(recorded.send, send.contact) : undefined;
    if (message !== undefined) await write(send, () => recordSentMessage(options, message));
    return { isConfirmed };
  };

  /** Finds the message of a call whose answer had only the ids of a job. */
  const confirm = ({ endBy, request }: QueuedSend, transactionIds: readonly string[]): Promise<void> =>
    repeatUntil(endBy, () => confirmByTransactions(options, request.requestId, transactionIds, clock.now()), options);

  /** Retries after a delay, but early enough to record that the request expired. */
  const retry = ({ request }: QueuedSend, afterMs: number): MessageResult => {
    const notAfter = notAfterOf(request);
    const leftMs = notAfter === undefined ? afterMs : msBetween(clock.now(), notAfter);
    return { kind: 'retry', afterMs: Math.min(afterMs, Math.max(0, leftMs + 1)) };
  };

  const waitAsHeld = (send: QueuedSend, heldSince: Instant): MessageResult =>
    retry(send, heldWaitMs(msBetween(heldSince, clock.now()), randomness.random()));

  /** Records the outcome of a claimed call. */
  const recordCall = async (
    send: QueuedSend,
    { claimId, claimedAt }: Claim,
    { attempt, unknownOutcomes }: Claimed,
    { call, outcome }: CompletedCall,
  ): Promise<MessageResult> => {
    const at = clock.now();
    const backoff = () => backoffMs(attempt, randomness.random());
    switch (outcome.kind) {
      case 'accepted': {
        const { messageId, transactionIds = [] } = outcome;
        const { contact, request, traceparent } = send;
        const { requestId } = request;
        const recorded = record(send, claimId, {
          state: 'accepted',
          at,
          messageId,
          transactionIds: listed(transactionIds),
          outcome: describeAccepted(messageId, transactionIds),
        });
        const sent = { requestId, contact, call, claimedAt, attempt, traceparent };
        const message = messageId !== undefined && { id: messageId, ...sent };
        const [, failed] = await Promise.all([
          recorded,
          message ? write(send, () => messages.recordOutbound(message)) : undefined,
        ]);
        // Only an accepted send can fail.
        if (message && failed) await write(send, () => sends.fail(requestId, { messageId: message.id, ...failed }));
        await confirm(send, transactionIds);
        return DONE;
      }
      case 'not-done': {
        if (outcome.cause === 'blocked' && attempt >= MAX_BLOCKED_ATTEMPTS) {
          const reason = `${outcome.explanation}, at attempt ${attempt}`;
          await record(send, claimId, { state: 'rejected', at, outcome: reason, outcomeDetails: outcome.details });
          return DONE;
        }
        const { explanation, details: outcomeDetails } = outcome;
        const result = { state: 'waiting' as const, at, outcome: explanation, outcomeDetails };
        const { isConfirmed } = await record(send, claimId, result);
        if (isConfirmed) return DONE;
        return retry(send, Math.max(requestedWaitMs(outcome.retryAfter, at, randomness.random()), backoff()));
      }
      case 'uncertain': {
        const { explanation, details: outcomeDetails, isAnswered, transactionIds = [] } = outcome;
        const { isConfirmed } = await record(send, claimId, {
          state: 'uncertain',
          at,
          outcome: explanation,
          outcomeDetails,
          isAnswered,
          transactionIds: listed(transactionIds),
        });
        await confirm(send, transactionIds);
        const isResent = send.request.onUncertain === 'resend' && mayResend(unknownOutcomes + 1, isAnswered);
        return isResent && !isConfirmed ? retry(send, backoff()) : DONE;
      }
      case 'rejected':
      case 'window-closed': {
        const result =
          outcome.kind === 'rejected'
            ? { code: outcome.code?.toString(), outcome: outcome.explanation, outcomeDetails: outcome.details }
            : { code: '201', outcome: 'The chat service answered the template with error 201.' };
        await record(send, claimId, { state: 'rejected', at, ...result });
        return DONE;
      }
    }
  };

  return {
    report,
    recordCall,
    /** Records the decision not to send a request that is already claimed. */
    async recordDecision(send: QueuedSend, claimId: string, decision: FinalDecision): Promise<MessageResult> {
      await record(send, claimId, resultOf(decision, clock.now()));
      return DONE;
    },
    /** Makes a request that was not sent wait. Returns when to retry it. */
    retry,
    waitForOperator: (send: QueuedSend, { stoppedAt }: Stop): MessageResult => waitAsHeld(send, stoppedAt),
    waitForCircuit: (send: QueuedSend, { openedAt }: OpenCircuit): MessageResult => waitAsHeld(send, openedAt),
  };
};

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
