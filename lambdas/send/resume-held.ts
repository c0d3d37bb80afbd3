import type { QueuedSend, StoredSend } from '../domain/send-state.ts';
import type { Clock, Log, Metrics, SendDeadLetters, SendStore } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import { MOST_RESENT_ATTEMPTS } from './conclude-send.ts';

export interface ResumeHeldPorts {
  readonly store: SendStore;
  readonly deadLetters: SendDeadLetters;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

const DONE: MessageResult = { kind: 'done' };
const SOON: MessageResult = { kind: 'again', afterMs: 1_000 };

/**
 * Goes on with a send that its message finds begun or ended: the queue brought it twice, or the function that had it
 * died. What a dead function may have left undone after its conclusion is done again; the call never is.
 */
export const createResumeHeld =
  (ports: ResumeHeldPorts) =>
  async (send: QueuedSend, held: StoredSend): Promise<MessageResult> => {
    const { store, deadLetters, log } = ports;
    const { requestId } = send.request;
    if (held.erasedAt !== undefined) {
      log.info('request of an erased contact; it is not sent', { requestId });
      return DONE;
    }
    if (held.body !== send.body) {
      log.warn('request id reused with another body', { requestId });
      await deadLetters.put(send, 'REQUEST_ID_REUSED: a request with this id and another body came before.');
      return DONE;
    }
    switch (held.state) {
      case 'claimed':
        return resumeClaimed(ports, send, held);
      case 'scheduled':
      case 'waiting':
        return SOON;
      case 'accepted': {
        const { messageId: id, claimedAt, call } = held;
        if (id && claimedAt && call) {
          await store.recordOutbound({ id, requestId, contact: send.contact, call, claimedAt });
        }
        break;
      }
      case 'rejected':
        await deadLetters.put(send, `REJECTED: ${held.why}`);
        break;
      case 'refused':
      case 'expired':
      case 'uncertain':
      case 'cancelled':
        break;
    }
    log.info('request came again; it is not sent again', { requestId, state: held.state });
    return DONE;
  };

const resumeClaimed = async (
  { store, clock, log, metrics }: ResumeHeldPorts,
  { request: { requestId, onUncertain } }: QueuedSend,
  { claimId, leaseUntil, attempts }: StoredSend,
): Promise<MessageResult> => {
  const now = clock.now();
  if (claimId === undefined || leaseUntil === undefined)
    throw new Error(`The claim of ${requestId} has no id or lease.`);
  if (now < leaseUntil) return { kind: 'again', afterMs: Date.parse(leaseUntil) - Date.parse(now) };
  const why = 'The function that had claimed it died; it may or may not have called the chat service.';
  const written = await store.conclude(requestId, claimId, { state: 'uncertain', at: now, why });
  if (written !== 'concluded') return SOON;
  metrics.count('SendUncertain');
  log.error('send uncertain', { requestId, why });
  return onUncertain === 'resend' && attempts < MOST_RESENT_ATTEMPTS ? SOON : DONE;
};
