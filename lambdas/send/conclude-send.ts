import { backoffMs } from '../domain/backoff.ts';
import { retryAfterMs } from '../domain/retry-after.ts';
import type { SendCall } from '../domain/send-decision.ts';
import type { SendOutcome } from '../domain/send-outcome.ts';
import type { Conclusion, QueuedSend, SendState } from '../domain/send-state.ts';
import type { Clock, Log, MetricName, Metrics, Randomness, SendDeadLetters, SendStore } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';

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
const LONGEST_WAIT_MS = 11 * 60 * 60 * 1000;

const METRIC: Record<Exclude<SendState, 'claimed'>, MetricName> = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  waiting: 'SendWaiting',
};

/** Records how a send ended and tells the queue what to do with its message. */
export const createConcludeSend = (ports: ConcludeSendPorts) => {
  const { store, deadLetters, clock, randomness, log, metrics } = ports;

  const report = ({ request }: QueuedSend, { state, why }: Conclusion): MessageResult => {
    metrics.count(METRIC[state]);
    log.info(`send ${state}`, { requestId: request.requestId, why });
    return DONE;
  };

  const conclude = async (send: QueuedSend, claimId: string, conclusion: Conclusion): Promise<MessageResult> => {
    const { requestId } = send.request;
    const written = await store.conclude(requestId, claimId, conclusion);
    if (written === 'lost') log.error('the claim was lost before its end was recorded', { requestId, ...conclusion });
    return report(send, conclusion);
  };

  const accept = async (
    send: QueuedSend,
    claimId: string,
    accepted: Extract<Conclusion, { state: 'accepted' }>,
  ): Promise<MessageResult> => {
    const { messageId: id, call, at: acceptedAt } = accepted;
    const outbound = { id, requestId: send.request.requestId, contact: send.contact, call, acceptedAt };
    const [result] = await Promise.all([conclude(send, claimId, accepted), store.recordOutbound(outbound)]);
    return result;
  };

  /** Concludes on what the chat service answered. */
  const called = async (
    send: QueuedSend,
    claimId: string,
    attempt: number,
    { call, why, outcome }: { readonly call: SendCall; readonly why: string; readonly outcome: SendOutcome },
  ): Promise<MessageResult> => {
    const at = clock.now();
    const wait = () => backoffMs(attempt, randomness.fraction());
    switch (outcome.kind) {
      case 'accepted':
        return accept(send, claimId, { state: 'accepted', at, messageId: outcome.messageId, call, why });
      case 'not-done': {
        await conclude(send, claimId, { state: 'waiting', at, why: outcome.explanation });
        const asked = retryAfterMs(outcome.retryAfter, Date.parse(at));
        return { kind: 'again', afterMs: Math.min(asked ?? wait(), LONGEST_WAIT_MS) };
      }
      case 'uncertain':
        await conclude(send, claimId, { state: 'uncertain', at, why: outcome.explanation });
        return send.request.onUncertain === 'resend' ? { kind: 'again', afterMs: wait() } : DONE;
      case 'rejected':
      case 'window-closed': {
        const reason = outcome.kind === 'rejected' ? outcome.explanation : 'The template was answered with error 201.';
        await conclude(send, claimId, { state: 'rejected', at, why: reason });
        await deadLetters.put(send, `REJECTED: ${reason}`);
        return DONE;
      }
    }
  };

  return { report, conclude, called };
};
