import { type HeldAccount, heldWaitMs } from '../domain/account.ts';
import { backoffMs } from '../domain/backoff.ts';
import { retryAfterMs } from '../domain/retry-after.ts';
import type { SendDecision } from '../domain/send-decision.ts';
import { notAfterOf } from '../domain/send-request.ts';
import type { Claim, Conclusion, QueuedSend } from '../domain/send-state.ts';
import type { Clock, Log, MetricName, Metrics, Randomness, SendDeadLetters, SendStore } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import type { Called } from './call-service.ts';

export interface ConcludeSendPorts {
  readonly store: SendStore;
  readonly deadLetters: SendDeadLetters;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
}

const DONE: MessageResult = { kind: 'done' };

/** A message stays invisible for 12 hours at the most; an hour is left for the time it has been so already. */
const LONGEST_ASKED_WAIT_MS = 11 * 60 * 60 * 1000;

const METRIC: Record<Conclusion['state'], MetricName> = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  waiting: 'SendWaiting',
};

/** Every try of a request that says `resend` may be one message more; after so many its outcome stays `uncertain`. */
export const MOST_RESENT_ATTEMPTS = 5;

/** What is known of a call must not be lost to one write that fails: as `uncertain` it might be sent again. */
const repeated = async <Written>(write: () => Promise<Written>): Promise<Written> => {
  for (let repetition = 0; repetition < 2; repetition += 1) {
    try {
      return await write();
    } catch {
      // The last try below fails with its own error.
    }
  }
  return write();
};

/** Records how a send ended and tells the queue what to do with its message. */
export const createConcludeSend = (ports: ConcludeSendPorts) => {
  const { store, deadLetters, clock, randomness, log, metrics } = ports;

  const report = ({ request }: QueuedSend, { state, why }: Conclusion): MessageResult => {
    metrics.count(METRIC[state]);
    log.info(`send ${state}`, { requestId: request.requestId, why });
    return DONE;
  };

  const conclude = async (send: QueuedSend, claimId: string, conclusion: Conclusion) => {
    const { requestId } = send.request;
    const written = await repeated(() => store.conclude(requestId, claimId, conclusion));
    if (written === 'concluded') report(send, conclusion);
    // No more of the conclusion than this: the call in it has the message's text and the user's number.
    const ended = { requestId, claimId, state: conclusion.state };
    if (written === 'settled') log.info('a status had settled the send', ended);
    if (written === 'lost') log.error('the claim was lost before its end was recorded', ended);
    return written;
  };

  /** The message comes back in time to be told that it expired. */
  const again = ({ request }: QueuedSend, afterMs: number): MessageResult => {
    const notAfter = notAfterOf(request);
    const leftMs = notAfter === undefined ? afterMs : Date.parse(notAfter) - Date.parse(clock.now());
    return { kind: 'again', afterMs: Math.min(afterMs, Math.max(0, leftMs + 1)) };
  };

  const accept = async (
    send: QueuedSend,
    { claimId, claimedAt }: Claim,
    accepted: Extract<Conclusion, { state: 'accepted' }>,
  ): Promise<MessageResult> => {
    const { messageId: id, call } = accepted;
    const outbound = { id, requestId: send.request.requestId, contact: send.contact, call, claimedAt };
    await Promise.all([conclude(send, claimId, accepted), store.recordOutbound(outbound)]);
    return DONE;
  };

  /** Concludes on what the chat service answered. */
  const called = async (
    send: QueuedSend,
    claim: Claim,
    attempt: number,
    { call, why, outcome }: Called,
  ): Promise<MessageResult> => {
    const { claimId } = claim;
    const at = clock.now();
    const wait = () => backoffMs(attempt, randomness.fraction());
    switch (outcome.kind) {
      case 'accepted':
        return accept(send, claim, { state: 'accepted', at, messageId: outcome.messageId, call, why });
      case 'not-done': {
        const written = await conclude(send, claimId, { state: 'waiting', at, why: outcome.explanation });
        if (written === 'settled') return DONE;
        return again(send, Math.max(askedWaitMs(outcome.retryAfter, at, randomness.fraction()), wait()));
      }
      case 'uncertain': {
        const written = await conclude(send, claimId, { state: 'uncertain', at, why: outcome.explanation });
        const isResent = send.request.onUncertain === 'resend' && attempt < MOST_RESENT_ATTEMPTS;
        return isResent && written !== 'settled' ? again(send, wait()) : DONE;
      }
      case 'rejected':
      case 'window-closed': {
        const reason = outcome.kind === 'rejected' ? outcome.explanation : 'The template was answered with error 201.';
        const written = await conclude(send, claimId, { state: 'rejected', at, why: reason });
        if (written !== 'settled') await deadLetters.put(send, `REJECTED: ${reason}`);
        return DONE;
      }
    }
  };

  return {
    report,
    called,
    /** How a request ends that is not sent, by our own judgement. */
    uncalled: (decision: Exclude<SendDecision, { kind: 'call' }>): Conclusion =>
      decision.kind === 'refuse'
        ? { state: 'refused', at: clock.now(), code: decision.code, why: decision.why }
        : { state: 'expired', at: clock.now(), why: decision.why },
    async conclude(send: QueuedSend, claimId: string, conclusion: Conclusion): Promise<MessageResult> {
      await conclude(send, claimId, conclusion);
      return DONE;
    },
    waitForAccount: (send: QueuedSend, account: HeldAccount): MessageResult =>
      again(send, heldWaitMs(account, clock.now(), randomness.fraction())),
  };
};

/** As long as the service asks, and a tenth more by chance, so that not all who were asked return at once. */
const askedWaitMs = (retryAfter: string | undefined, now: string, fraction: number): number => {
  const asked = retryAfterMs(retryAfter, Date.parse(now));
  if (asked === undefined) return 0;
  return Math.min(Math.round(asked * (1 + fraction / 10)), LONGEST_ASKED_WAIT_MS);
};
