import type { SQSRecord } from 'aws-lambda';
import { type ContactDefaults, resolveContact } from '../domain/contact.ts';
import { addMs, msBetween, parseInstant } from '../domain/instant.ts';
import type { QueuedSend } from '../domain/send.ts';
import { parseDueMessage, parseSendRequest } from '../domain/send-request.ts';
import type { Clock, Log, Metrics, SendDeadLetterQueue, SendRepository, SendScheduler } from '../ports.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { createResumeSend, type ResumeSendOptions } from './resume-send.ts';

export interface PrepareSendOptions extends ResumeSendOptions {
  readonly sends: Pick<SendRepository, 'read' | 'schedule' | 'recordResult'>;
  readonly scheduler: SendScheduler;
  readonly deadLetters: SendDeadLetterQueue;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly contactDefaults: ContactDefaults;
  /** Sends a request that is due. */
  readonly sendMessage: (send: QueuedSend, hasTime: () => boolean) => Promise<MessageResult>;
}

const MAX_AHEAD_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Schedules are precise to a minute. A request due sooner waits in its queue, in order with the contact's others. */
const MIN_SCHEDULE_MS = 60_000;

/** SQS keeps a message invisible for at most 12 hours. */
const MAX_WAIT_MS = 11 * 60 * 60 * 1000;

/**
 * Creates the handler of messages from the send queue. It reads the request that a due message refers to, puts
 * malformed requests on the dead-letter queue, schedules requests whose `sendAt` is in the future, and sends all
 * others.
 */
export const createPrepareSend = (options: PrepareSendOptions) => {
  const { sends, sendMessage, clock, log } = options;
  const resumeSend = createResumeSend(options);

  const handleRequest = async (message: SQSRecord, body: string, hasTime: () => boolean): Promise<MessageResult> => {
    const send = await parseMessage(options, message, body);
    if (send === undefined) return DONE;
    const now = clock.now();
    const sendAt = parseInstant(send.request.sendAt);
    if (sendAt === undefined || sendAt <= now) return sendMessage(send, hasTime);
    if (sendAt > addMs(now, MAX_AHEAD_DAYS * DAY_MS)) {
      await deadLetterMalformed(options, send, `sendAt: must be at most a year ahead; it is now ${now}.`);
      return DONE;
    }
    return schedule(send, sendAt, now);
  };

  /**
   * Writes to the table before it creates the schedule, so that a schedule that becomes due always finds its request.
   * If the function dies in between, SQS delivers the message again.
   */
  const schedule = async (send: QueuedSend, sendAt: string, now: string): Promise<MessageResult> => {
    const { requestId } = send.request;
    const scheduled = await sends.schedule(send, { at: now, sendAt });
    if (scheduled.kind === 'conflict') {
      const { state, body } = scheduled.send;
      if (state !== 'scheduled' || body !== send.body) return resumeSend(send, scheduled.send);
    }
    const aheadMs = msBetween(now, sendAt);
    if (aheadMs < MIN_SCHEDULE_MS) return { kind: 'retry', afterMs: aheadMs };
    await options.scheduler.schedule({ requestId, groupId: send.groupId, at: sendAt });
    options.metrics.count('SendScheduled');
    log.info('send scheduled', { requestId, sendAt });
    return DONE;
  };

  return async (message: SQSRecord, hasTime: () => boolean = () => true): Promise<MessageResult> => {
    const dueRequestId = parseDueMessage(message.body);
    if (dueRequestId === undefined) return handleRequest(message, message.body, hasTime);
    const send = await sends.read(dueRequestId);
    if (send === undefined || send.state === 'cancelled' || send.erasedAt !== undefined) {
      log.info('due request not sent: it was cancelled or erased, or is no longer stored', {
        requestId: dueRequestId,
        state: send?.state,
      });
      return DONE;
    }
    const now = clock.now();
    // Scheduler's clock may be ahead. The schedule no longer exists, so this message must wait until it is due.
    if (send.sendAt !== undefined && now < send.sendAt) {
      return { kind: 'retry', afterMs: Math.min(msBetween(now, send.sendAt), MAX_WAIT_MS) };
    }
    return handleRequest(message, send.body, hasTime);
  };
};

/** Returns undefined for a malformed request, after putting it on the dead-letter queue. */
const parseMessage = async (
  options: PrepareSendOptions,
  { attributes, messageId }: SQSRecord,
  body: string,
): Promise<QueuedSend | undefined> => {
  const { MessageGroupId, ApproximateReceiveCount } = attributes;
  const origin = {
    body,
    groupId: MessageGroupId ?? messageId,
    // Not the sender's id: SQS drops a second message with the same id within five minutes.
    deduplicationId: messageId,
  };
  const parsed = parseSendRequest(body);
  if (parsed.kind === 'malformed') {
    options.metrics.count('SendMalformed');
    options.log.warn('malformed request', { messageId, explanation: parsed.explanation });
    await options.deadLetters.put(origin, `MALFORMED: ${parsed.explanation}`);
    return undefined;
  }
  const { request } = parsed;
  const contact = resolveContact(options.contactDefaults, request);
  return { request, contact, isFirstReceive: ApproximateReceiveCount === '1', ...origin };
};

const deadLetterMalformed = async (
  { metrics, deadLetters }: PrepareSendOptions,
  send: QueuedSend,
  fault: string,
): Promise<void> => {
  metrics.count('SendMalformed');
  await deadLetters.put(send, `MALFORMED: Not a send request: ${fault}`);
};
