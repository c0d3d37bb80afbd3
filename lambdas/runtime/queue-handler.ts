import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Ms } from '../domain/duration.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { Clock, Log, Metrics, VisibilityChange } from '../ports.ts';
import type { Invocation } from './frame.ts';

/** What to do with a queue message: delete it, or receive it again after a while. */
export type MessageResult = { readonly kind: 'done' } | { readonly kind: 'retry'; readonly afterMs?: number };

export const DONE: MessageResult = { kind: 'done' };

export interface QueueHandlerOptions {
  /** @param endBy when the work on the message must be done, one second before the invocation ends */
  readonly handleMessage: (message: SQSRecord, endBy: Instant) => Promise<MessageResult>;
  /** Decides what to do with a message that `handleMessage` failed to process. Returns undefined to retry it. */
  readonly handleFailure: ((message: SQSRecord, error: unknown) => Promise<MessageResult | undefined>) | undefined;
  /** Sets when messages become visible again. */
  readonly changeVisibility: (changes: readonly VisibilityChange[]) => Promise<void>;
  /** Returns the minimum wait of a message, even if its next attempt is due sooner. */
  readonly minimumWaitMs: (receiveCount: number, ageMs: number) => number;
  readonly clock: Clock;
  /** How much of the invocation's time must be left to start a message. */
  readonly requiredTimeMs: Ms;
  readonly log: Log;
  /**
   * Receives `RetriedMessageAge`: how many seconds the oldest message to retry has been in the queue. The queue's own
   * metric leaves out messages that were received three times.
   *
   * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
   */
  readonly metrics: Pick<Metrics, 'record'>;
  /** The name under which that age is reported. Undefined if it is not. */
  readonly ageMetric: 'RetriedMessageAge' | 'RetriedBulkMessageAge' | 'RetriedTurnAge' | undefined;
}

/**
 * Handles a batch of queue messages. Message groups run concurrently, and the messages of a group in sequence. A
 * message that must be retried delays the rest of its group, but no other group.
 * Source:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export const createQueueHandler =
  (options: QueueHandlerOptions) =>
  async (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> => {
    const endBy = addMs(options.clock.now(), invocation.getRemainingTimeInMillis() - END_MARGIN_MS);
    const startBy = addMs(endBy, END_MARGIN_MS - options.requiredTimeMs);
    const groups = groupsOf(event.Records).map((group) => handleGroup(options, group, { startBy, endBy }));
    const retried = (await Promise.all(groups)).flat();
    const { metrics, ageMetric } = options;
    if (retried.length > 0 && ageMetric !== undefined)
      metrics.record(ageMetric, oldestAgeSeconds(retried, options.clock));
    return { batchItemFailures: retried.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

/** Left at the end of an invocation to report which messages to retry. */
const END_MARGIN_MS = 1_000;

/** Shorter than the queue's visibility timeout, which would block the whole group. */
const RETRY_AFTER_ERROR_MS = 10_000;

/**
 * SQS keeps a message invisible for at most 12 hours; the remaining hour covers the time that it has already been
 * invisible.
 */
const MAX_INVISIBLE_MS = 11 * 60 * 60 * 1000;

const oldestAgeSeconds = (messages: readonly SQSRecord[], clock: Clock): number => {
  const sentAt = Math.min(...messages.map(({ attributes }) => Number(attributes.SentTimestamp)));
  return Math.floor((Date.parse(clock.now()) - sentAt) / 1000);
};

/** In a standard queue, every message is its own group. */
const groupsOf = (records: readonly SQSRecord[]): SQSRecord[][] => [
  ...Map.groupBy(records, ({ attributes, messageId }) => attributes.MessageGroupId ?? messageId).values(),
];

interface Deadlines {
  /** The latest time to start a message. */
  readonly startBy: Instant;
  readonly endBy: Instant;
}

/** Handles the messages of a group in order. Returns the messages to retry. */
const handleGroup = async (
  options: QueueHandlerOptions,
  group: readonly SQSRecord[],
  { startBy, endBy }: Deadlines,
): Promise<readonly SQSRecord[]> => {
  for (const [index, message] of group.entries()) {
    const hasTime = options.clock.now() <= startBy;
    const result = hasTime ? await handleSafely(options, message, endBy) : { kind: 'retry' as const, afterMs: 0 };
    if (result.kind === 'done') continue;
    const retried = group.slice(index);
    await delay(options, retried, result.afterMs);
    return retried;
  }
  return [];
};

const handleSafely = async (
  { handleMessage, handleFailure, log }: QueueHandlerOptions,
  message: SQSRecord,
  endBy: Instant,
): Promise<MessageResult> => {
  const { messageId } = message;
  const retry: MessageResult = { kind: 'retry', afterMs: RETRY_AFTER_ERROR_MS };
  try {
    return await handleMessage(message, endBy);
  } catch (error) {
    log.error('message failed and will be retried', { messageId, error });
    try {
      return (await handleFailure?.(message, error)) ?? retry;
    } catch (failure) {
      log.warn('message failure could not be recorded', { messageId, error: failure });
      return retry;
    }
  }
};

/**
 * Keeps the first message invisible, which blocks its group, and makes the messages behind it visible at once.
 * Otherwise they would stay invisible for the queue's whole visibility timeout, even after the first one is done. The
 * group waits long enough for each of its messages, because a receive counts for every message in it.
 */
const delay = async (
  { changeVisibility, minimumWaitMs, clock, log }: QueueHandlerOptions,
  retried: readonly SQSRecord[],
  afterMs: number | undefined,
): Promise<void> => {
  const [first, ...rest] = retried;
  if (first === undefined || afterMs === undefined) return;
  const nowMs = Date.parse(clock.now());
  const minimums = retried.map(({ attributes }) =>
    minimumWaitMs(Number(attributes.ApproximateReceiveCount), nowMs - Number(attributes.SentTimestamp)),
  );
  const waitMs = Math.min(Math.max(afterMs, ...minimums), MAX_INVISIBLE_MS);
  const visible = rest.map(({ receiptHandle }) => ({ receiptHandle, seconds: 0 }));
  try {
    await changeVisibility([{ receiptHandle: first.receiptHandle, seconds: Math.ceil(waitMs / 1000) }, ...visible]);
  } catch (error) {
    log.warn('visibility not changed; the message keeps the visibility timeout of its queue', {
      messageId: first.messageId,
      error,
    });
  }
};
