import type { SQSRecord } from 'aws-lambda';
import { readWakeUp } from '../domain/wake-up.ts';
import type { Clock, Log, ScheduledSendStore } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';

export interface WakeScheduledPorts {
  readonly scheduled: ScheduledSendStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Handles a message that carries a request. */
  readonly handleMessage: (message: SQSRecord, hasTime: () => boolean) => Promise<MessageResult>;
}

/** A message stays invisible for 12 hours at the most. */
const LONGEST_WAIT_MS = 11 * 60 * 60 * 1000;

/** Handles the message of an alarm as the request that it wakes; every other message as it is. */
export const createWakeScheduled =
  ({ scheduled, clock, log, handleMessage }: WakeScheduledPorts) =>
  async (message: SQSRecord, hasTime: () => boolean): Promise<MessageResult> => {
    const requestId = readWakeUp(message.body);
    if (requestId === undefined) return handleMessage(message, hasTime);
    const send = await scheduled.readScheduled(requestId);
    if (send === undefined || send.state === 'cancelled') {
      log.info('a scheduled send is not there any more', { requestId, state: send?.state });
      return { kind: 'done' };
    }
    const now = clock.now();
    // Two clocks may differ. The alarm rings once: its message must not be taken for the one that sets it.
    if (send.sendAt !== undefined && now < send.sendAt) {
      return { kind: 'again', afterMs: Math.min(Date.parse(send.sendAt) - Date.parse(now), LONGEST_WAIT_MS) };
    }
    return handleMessage({ ...message, body: send.body }, hasTime);
  };
