import { addMs, readInstant } from '../domain/instant.ts';
import type { QueuedSend } from '../domain/send-state.ts';
import type { ScheduledSendStore, SendAlarmClock } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import { createResumeHeld, type ResumeHeldPorts } from './resume-held.ts';

export interface ScheduleSendPorts extends ResumeHeldPorts {
  readonly scheduled: ScheduledSendStore;
  readonly alarms: SendAlarmClock;
  /** Sends a request that is due. */
  readonly sendMessage: (send: QueuedSend, hasTime: () => boolean) => Promise<MessageResult>;
}

const DONE: MessageResult = { kind: 'done' };

const LONGEST_AHEAD_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A schedule has a precision of a minute; what is due sooner waits in its queue, in order with its contact's others. */
const SHORTEST_ALARM_MS = 60_000;

/**
 * Puts a request aside whose `sendAt` is still to come, and sends any other.
 *
 * First the table, then the alarm: an alarm that rings finds its request, and a function that dies between the two has
 * the queue bring the message again, which finds the request and sets the alarm.
 */
export const createScheduleSend = (ports: ScheduleSendPorts) => {
  const { scheduled, alarms, sendMessage, clock, deadLetters, log, metrics } = ports;
  const resumeHeld = createResumeHeld(ports);

  return async (send: QueuedSend, hasTime: () => boolean): Promise<MessageResult> => {
    const now = clock.now();
    const sendAt = readInstant(send.request.sendAt);
    if (sendAt === undefined || sendAt <= now) return sendMessage(send, hasTime);
    const { requestId } = send.request;
    if (sendAt > addMs(now, LONGEST_AHEAD_DAYS * DAY_MS)) {
      metrics.count('SendMalformed');
      await deadLetters.put(send, `MALFORMED: Not a send request: sendAt: must be at most a year ahead; it is ${now}.`);
      return DONE;
    }
    const noted = await scheduled.schedule(send, { at: now, sendAt });
    const isOurs = noted.kind === 'scheduled' || (noted.send.state === 'scheduled' && noted.send.body === send.body);
    if (noted.kind === 'held' && !isOurs) return resumeHeld(send, noted.send);
    const aheadMs = Date.parse(sendAt) - Date.parse(now);
    if (aheadMs < SHORTEST_ALARM_MS) return { kind: 'again', afterMs: aheadMs };
    await alarms.set({ requestId, groupId: send.groupId, at: sendAt });
    metrics.count('SendScheduled');
    log.info('send scheduled', { requestId, sendAt });
    return DONE;
  };
};
