import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { countMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import { withoutCredentials } from '../../lambdas/domain/buffered-request.ts';
import { deadLetterReason } from '../../lambdas/domain/dead-letter.ts';
import { parseTraceparent, TRACEPARENT } from '../../lambdas/domain/trace-context.ts';

/** A dead-letter queue. */
export interface ReadableQueue {
  readonly sqs: SQSClient;
  readonly url: string;
}

/** A message that failed, and the reason. */
export interface DeadLetter {
  readonly messageId: string;
  readonly reason: string;
  readonly body: string;
  readonly groupId?: string;
  /** The W3C trace context of the request. */
  readonly traceparent?: string;
  /** When the message arrived in the queue, in ISO 8601. */
  readonly since?: string;
}

/** Selects dead letters. An empty filter selects all of them. */
export interface DeadLetterFilter {
  /** Text that the reason must contain, ignoring case. */
  readonly reason?: string;
  readonly messageId?: string;
}

export const matchesFilter = (
  { reason, messageId }: DeadLetterFilter,
  deadLetter: Pick<DeadLetter, 'reason' | 'messageId'>,
): boolean =>
  (reason === undefined || deadLetter.reason.toLowerCase().includes(reason.toLowerCase())) &&
  (messageId === undefined || deadLetter.messageId === messageId);

/** Long enough to read most queues; until then no other consumer receives their messages. */
const VISIBILITY_TIMEOUT_SECONDS = 300;

/**
 * Long enough to read the 120,000 messages that a queue returns before some are deleted or released, so that a search
 * for one of them sees all of them.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export const SEARCH_SECONDS = 1800;

const visibilitySecondsFor = ({ messageId }: DeadLetterFilter): number =>
  messageId === undefined ? VISIBILITY_TIMEOUT_SECONDS : SEARCH_SECONDS;

/**
 * Receives the available messages, up to ten at a time, until the queue has no more.
 *
 * @throws the reason of `stop` once it is aborted
 */
export async function* receiveAll(
  { sqs, url }: ReadableQueue,
  stop?: AbortSignal,
  visibilitySeconds = VISIBILITY_TIMEOUT_SECONDS,
): AsyncGenerator<readonly Message[]> {
  for (;;) {
    stop?.throwIfAborted();
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: visibilitySeconds,
        // Long polling asks all SQS servers; short polling can miss messages.
        WaitTimeSeconds: 1,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return;
    yield Messages;
  }
}

/**
 * Runs `work`, then makes available again what it left in `received`, whether it ended, failed, or was interrupted. An
 * error of `work` takes precedence over one of the release.
 */
export const releaseAfter = async <Result>(
  queue: ReadableQueue,
  received: ReadonlyMap<string, Message>,
  work: () => Promise<Result>,
): Promise<Result> => {
  const [result] = await Promise.allSettled([work()]);
  const [released] = await Promise.allSettled([release(queue, [...received.values()])]);
  if (result.status === 'rejected') throw result.reason;
  if (released.status === 'rejected') throw released.reason;
  return result.value;
};

const BATCH = 10;

/**
 * Makes received messages available again. Skips those whose visibility timeout has already ended.
 *
 * @throws the first failure, after trying all messages
 */
const release = async ({ sqs, url }: ReadableQueue, received: readonly Message[]) => {
  const failures: unknown[] = [];
  for (let start = 0; start < received.length; start += BATCH) {
    const handles = received.slice(start, start + BATCH).map(({ ReceiptHandle }) => ReceiptHandle);
    try {
      const Failed = await makeVisible(sqs, url, handles);
      const failed = Failed.find(({ Code = '' }) => !VISIBLE_AGAIN.test(Code));
      if (failed) failures.push(new Error(`${failed.Code}: ${failed.Message}`));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};

/** Makes up to ten received messages visible again. Returns the refused ones. */
export const makeVisible = async (
  sqs: SQSClient,
  QueueUrl: string,
  receiptHandles: readonly (string | undefined)[],
): Promise<readonly BatchResultErrorEntry[]> => {
  const Entries = receiptHandles.map((ReceiptHandle, index) => ({
    Id: String(index),
    ReceiptHandle,
    VisibilityTimeout: 0,
  }));
  const { Failed = [] } = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  return Failed;
};

/**
 * The codes with which SQS refuses a visibility timeout because an earlier one has ended. A standard queue returns the
 * first; a FIFO queue, or a message that has been received since, the second.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
 */
const VISIBLE_AGAIN = /(^|\.)(MessageNotInflight|InvalidParameterValue)$/;

export const readDeadLetter = ({
  MessageId = '',
  Body = '',
  Attributes,
  MessageAttributes = {},
}: Message): DeadLetter => {
  const traceparent = parseTraceparent(MessageAttributes[TRACEPARENT]?.StringValue);
  const sent = Attributes?.SentTimestamp;
  const since = sent && new Date(Number(sent)).toISOString();
  return {
    messageId: MessageId,
    reason: deadLetterReason(
      Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue])),
      Body,
    ),
    body: Body,
    ...(Attributes?.MessageGroupId !== undefined && { groupId: Attributes.MessageGroupId }),
    ...(traceparent && { traceparent }),
    ...(since && { since }),
  };
};

/** The dead letters that a listing found. */
export interface DeadLetterList {
  readonly deadLetters: readonly DeadLetter[];
  /** Approximate number of dead letters in the queue. */
  readonly total: number;
  /**
   * Whether the listing read every dead letter. A FIFO queue returns only the first messages of a message group until
   * they are deleted or released.
   */
  readonly isComplete: boolean;
}

/**
 * Lists dead letters by receiving them, which is the only way SQS offers, and releases them afterward. Masks the
 * credentials of webhook requests that were never verified.
 *
 * @param limit Maximum number of dead letters to return.
 */
export const listDeadLetters = async (
  queue: ReadableQueue,
  filter: DeadLetterFilter,
  limit: number,
  stop?: AbortSignal,
): Promise<DeadLetterList> => {
  const { available } = await countMessages(queue.sqs, queue.url);
  const received = new Map<string, Message>();
  const deadLetters: DeadLetter[] = [];
  await releaseAfter(queue, received, async () => {
    for await (const messages of receiveAll(queue, stop, visibilitySecondsFor(filter))) {
      const fresh = messages.filter(({ MessageId = '' }) => !received.has(MessageId));
      for (const message of messages) received.set(message.MessageId ?? '', message);
      deadLetters.push(...fresh.map(readDeadLetter).filter((one) => matchesFilter(filter, one)));
      // Reading a long queue outlasts the visibility timeout of the first messages, which are then received again.
      if (deadLetters.length >= limit || fresh.length === 0) break;
    }
  });
  return {
    deadLetters: deadLetters.slice(0, limit).map((one) => ({ ...one, body: withoutCredentials(one.body) })),
    total: Math.max(available, received.size),
    isComplete: received.size >= available,
  };
};

/**
 * Deletes the dead letters that match the filter, and releases the others. Reads again while it finds some, because a
 * FIFO queue returns the messages of a group only after those before them are deleted.
 *
 * @returns how many were deleted
 */
export const deleteDeadLetters = async (
  queue: ReadableQueue,
  filter: DeadLetterFilter,
  stop?: AbortSignal,
): Promise<number> => {
  let deleted = 0;
  for (;;) {
    const received = new Map<string, Message>();
    const before = deleted;
    await releaseAfter(queue, received, async () => {
      for await (const messages of receiveAll(queue, stop, visibilitySecondsFor(filter))) {
        const fresh = messages.filter(({ MessageId = '' }) => !received.has(MessageId));
        for (const message of messages) received.set(message.MessageId ?? '', message);
        for (const message of fresh) {
          stop?.throwIfAborted();
          if (!matchesFilter(filter, readDeadLetter(message))) continue;
          const { ReceiptHandle, MessageId = '' } = message;
          await queue.sqs.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle }));
          received.delete(MessageId);
          deleted += 1;
          // The ids of messages are unique.
          if (filter.messageId !== undefined) return;
        }
        if (fresh.length === 0) return;
      }
    });
    if (deleted === before || filter.messageId !== undefined) return deleted;
  }
};
