import { type Instant, msBetween } from '../domain/instant.ts';
import { logFieldsOf, type QueuedSend } from '../domain/send.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { resumeSend } from './resume-send.ts';
import type { SendContext } from './send-context.ts';

/** Schedules are precise to a minute. A request due sooner waits in its queue, in order with the contact's others. */
const MIN_SCHEDULE_MS = 60_000;

/**
 * Schedules a request whose `sendAt` is in the future. Writes to the table before it creates the schedule, so that a
 * schedule that becomes due always finds its request. If the function dies in between, SQS delivers the message again.
 */
export const scheduleSend = async (
  context: SendContext,
  send: QueuedSend,
  sendAt: Instant,
  now: Instant,
): Promise<MessageResult> => {
  const { sends, scheduler, log, metrics } = context;
  const { requestId } = send.request;
  const scheduled = await sends.schedule(send, { at: now, sendAt });
  if (scheduled.kind === 'conflict') {
    const { state, body, erasedAt } = scheduled.send;
    if (erasedAt !== undefined) await scheduler.cancel(requestId);
    if (state !== 'scheduled' || body !== send.body) return resumeSend(context, send, scheduled.send);
  }
  const aheadMs = msBetween(now, sendAt);
  if (aheadMs < MIN_SCHEDULE_MS) return { kind: 'retry', afterMs: aheadMs };
  await scheduler.schedule({ requestId, groupId: send.groupId, at: sendAt });
  // A schedule names the contact. An erasure since the write did not find this one.
  if ((await sends.read(requestId))?.erasedAt !== undefined) {
    await scheduler.cancel(requestId);
    log.info('schedule deleted: the contact was erased', logFieldsOf(send));
    return DONE;
  }
  metrics.count('SendScheduled');
  log.info('send scheduled', { ...logFieldsOf(send), sendAt });
  return DONE;
};
