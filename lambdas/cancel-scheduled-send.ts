import type { SendState } from './domain/send-state.ts';
import type { Clock, Log, Metrics, ScheduledSendStore, SendAlarmClock } from './ports.ts';

export interface CancelScheduledSendPorts {
  readonly scheduled: ScheduledSendStore;
  readonly alarms: SendAlarmClock;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export type Cancellation =
  /** It will not go out, by this call or by an earlier one. */
  | { readonly kind: 'cancelled' }
  /** There is no send of this id; a request that is still in the queue is none yet. */
  | { readonly kind: 'unknown' }
  /** It is not scheduled any more, or never was: how it stands. */
  | { readonly kind: 'too-late'; readonly state: Exclude<SendState, 'scheduled' | 'cancelled'> };

/**
 * Cancels a scheduled send. The table decides, by one conditional write, between this and the send's own beginning; the
 * alarm is taken back after that, and one that rings all the same finds the send cancelled.
 */
export const createCancelScheduledSend =
  ({ scheduled, alarms, clock, log, metrics }: CancelScheduledSendPorts) =>
  async (requestId: string): Promise<Cancellation> => {
    const result = await scheduled.cancel(requestId, clock.now());
    if (result.kind === 'unknown') return result;
    if (result.kind === 'held' && result.send.state !== 'cancelled') {
      // The condition of the write was that it be scheduled, so it is not.
      const { state } = result.send;
      return state === 'scheduled' ? { kind: 'unknown' } : { kind: 'too-late', state };
    }
    await alarms.remove(requestId);
    metrics.count('SendCancelled');
    log.info('send cancelled', { requestId });
    return { kind: 'cancelled' };
  };
