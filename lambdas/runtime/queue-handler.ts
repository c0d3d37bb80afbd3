import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log } from '../ports.ts';
import type { Invocation } from './frame.ts';

/** What to do with a queue message: delete it, or receive it again after a while. */
export type MessageResult = { readonly kind: 'done' } | { readonly kind: 'retry'; readonly afterMs?: number };

export const DONE: MessageResult = { kind: 'done' };

export interface QueueHandlerOptions {
  /** @param hasTime returns whether `requiredTimeMs` is still left, for handlers that wait before their actual work */
  readonly handleMessage: (message: SQSRecord, hasTime: () => boolean) => Promise<MessageResult>;
  /** Sets when a message becomes visible again. */
  readonly setVisibility: (receiptHandle: string, seconds: number) => Promise<void>;
  /** How much of the invocation's time must be left to start a message. */
  readonly requiredTimeMs: number;
  readonly log: Log;
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
    const hasTime = () => invocation.getRemainingTimeInMillis() >= options.requiredTimeMs;
    const retried = await Promise.all(groupsOf(event.Records).map((group) => handleGroup(options, group, hasTime)));
    return { batchItemFailures: retried.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

/** Shorter than the queue's visibility timeout, which would block the whole group. */
const RETRY_AFTER_ERROR_MS = 10_000;

/** In a standard queue, every message is its own group. */
const groupsOf = (records: readonly SQSRecord[]): SQSRecord[][] => [
  ...Map.groupBy(records, ({ attributes, messageId }) => attributes.MessageGroupId ?? messageId).values(),
];

/** Handles the messages of a group in order. Returns the messages to retry. */
const handleGroup = async (
  options: QueueHandlerOptions,
  group: readonly SQSRecord[],
  hasTime: () => boolean,
): Promise<readonly SQSRecord[]> => {
  for (const [index, message] of group.entries()) {
    const result = hasTime() ? await handleSafely(options, message, hasTime) : { kind: 'retry' as const, afterMs: 0 };
    if (result.kind === 'done') continue;
    const retried = group.slice(index);
    await delay(options, retried, result.afterMs);
    return retried;
  }
  return [];
};

const handleSafely = async (
  { handleMessage, log }: QueueHandlerOptions,
  message: SQSRecord,
  hasTime: () => boolean,
): Promise<MessageResult> => {
  try {
    return await handleMessage(message, hasTime);
  } catch (error) {
    log.error('message failed and will be retried', { messageId: message.messageId, error });
    return { kind: 'retry', afterMs: RETRY_AFTER_ERROR_MS };
  }
};

/**
 * Keeps the first message invisible, which blocks its group, and makes the messages behind it visible at once.
 * Otherwise they would stay invisible for the queue's whole visibility timeout, even after the first one is done.
 */
const delay = async (
  { setVisibility, log }: QueueHandlerOptions,
  [first, ...rest]: readonly SQSRecord[],
  afterMs: number | undefined,
): Promise<void> => {
  if (first === undefined || afterMs === undefined) return;
  try {
    await setVisibility(first.receiptHandle, Math.ceil(afterMs / 1000));
    for (const message of rest) await setVisibility(message.receiptHandle, 0);
  } catch (error) {
    log.warn('visibility not changed; the message keeps the visibility timeout of its queue', {
      messageId: first.messageId,
      error,
    });
  }
};
