import {
  DeleteMessageCommand,
  ListQueuesCommand,
  type Message,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { parseDuration } from '../../lambdas/domain/duration.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import { TRACEPARENT } from '../../lambdas/domain/trace-context.ts';
import {
  type DeadLetter,
  type DeadLetterFilter,
  matchesFilter,
  type ReadableQueue,
  readDeadLetter,
  receiveAll,
  releaseAfter,
} from './dead-letter-queue.ts';
import type { RedriveResult } from './redrive.ts';

/** A stack's send queue, whose name shows how its bulk queues are named, and its current bulk queues, if any. */
export interface SendQueueUrls {
  readonly sendQueueUrl: string;
  readonly bulkSendQueueUrl?: string | undefined;
  readonly bulkSendDeadLetterQueueUrl?: string | undefined;
}

/** Where to look for the queues that a stack no longer has. */
export interface SearchedStack {
  readonly sqs: SQSClient;
  readonly addresses: SendQueueUrls;
  /** The name of the stack. Undefined in the local run. */
  readonly metricsNamespace?: string | undefined;
}

/** Parts of the names that CloudFormation gives to the send queue and to the bulk queue of the same construct. */
const SEND_QUEUE = 'SendQueue';
const BULK_QUEUE = 'BulkSendQueue';

/**
 * Finds the bulk queues, and their dead-letter queues, that the stack no longer has: a production stage keeps them when
 * `sends.bulkLane` is removed, but nothing consumes or watches them. Dead letters come first, because they are older.
 *
 * CloudFormation shortens long names of stacks in the names of queues, so that the queues in use of another stack can
 * have names that start the same. Such a stack is not searched.
 */
export const findLeftoverQueues = async ({
  sqs,
  addresses,
  metricsNamespace: stackName,
}: SearchedStack): Promise<readonly string[]> => {
  const sendQueue = queueName(addresses.sendQueueUrl);
  const end = sendQueue.lastIndexOf(SEND_QUEUE);
  if (end === -1 || (stackName !== undefined && !sendQueue.startsWith(`${stackName}-`))) return [];
  const own = [addresses.bulkSendQueueUrl ?? '', addresses.bulkSendDeadLetterQueueUrl ?? ''].map(queueName);
  const QueueNamePrefix = `${sendQueue.slice(0, end)}${BULK_QUEUE}`;
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix }));
  const leftovers = QueueUrls.filter((url) => !own.includes(queueName(url)));
  return leftovers.toSorted((one, other) => Number(hasDeadLetters(other)) - Number(hasDeadLetters(one)));
};

export const queueName = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/** Whether a leftover queue is a dead-letter queue. Its requests were received, so their durations do not restart. */
const hasDeadLetters = (url: string): boolean => queueName(url).includes(`${BULK_QUEUE}DeadLetters`);

/** Where the messages of a leftover queue are moved to, and when. */
export interface LeftoverMove {
  readonly destinationUrl: string;
  readonly nowMs: number;
  readonly filter: DeadLetterFilter;
  /** Receives a sentence about each request that is left because its duration has passed. */
  readonly onException: (why: string) => void;
  readonly stop: AbortSignal;
}

/**
 * Moves the messages of a leftover queue, in order per message group. Each is sent before it is deleted, so an
 * interruption can deliver one twice but never loses one. The messages that stay hide those behind the first ten of their
 * group.
 *
 * SQS cannot do this itself, because the queue is no dead-letter queue.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export const moveLeftovers = async (
  queue: ReadableQueue,
  { destinationUrl, nowMs, filter, onException, stop }: LeftoverMove,
): Promise<RedriveResult> => {
  const { sqs, url } = queue;
  const toRelease = new Map<string, Message>();
  let moved = 0;
  await releaseAfter(queue, toRelease, async () => {
    for await (const messages of receiveAll(queue, stop)) {
      const fresh = messages.filter(({ MessageId = '' }) => !toRelease.has(MessageId));
      for (const message of messages) toRelease.set(message.MessageId ?? '', message);
      // A queue that takes longer than the visibility timeout starts over.
      if (fresh.length === 0) return;
      for (const message of fresh) {
        stop.throwIfAborted();
        const leftover = readDeadLetter(message);
        if (!matchesFilter(filter, leftover)) continue;
        const overdue = hasDeadLetters(url) ? undefined : overdueRequestIn(leftover, nowMs);
        if (overdue !== undefined) {
          onException(`The notAfter of ${overdue} has passed, so it was left in ${queueName(url)}.`);
          continue;
        }
        await put(sqs, destinationUrl, leftover);
        await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
        toRelease.delete(leftover.messageId);
        moved += 1;
      }
    }
  });
  return { moved, deleted: 0, left: toRelease.size };
};

/**
 * Returns the id of a request whose duration has passed. A move restarts the duration of a request that was never
 * received, so such a request must stay.
 */
const overdueRequestIn = ({ body, since = '' }: DeadLetter, nowMs: number): string | undefined => {
  const { requestId, sendAt, notAfter } = Object(parseJson(body));
  const durationMs = sendAt === undefined ? parseDuration(notAfter) : undefined;
  const isOver = durationMs !== undefined && Date.parse(since) + durationMs <= nowMs;
  return isOver ? String(requestId) : undefined;
};

const put = async (sqs: SQSClient, QueueUrl: string, { messageId, body, groupId, traceparent }: DeadLetter) => {
  const MessageAttributes = { ...(traceparent && { [TRACEPARENT]: { DataType: 'String', StringValue: traceparent } }) };
  // SQS could drop the original ID as a duplicate. This one still drops a repeated move.
  const fifo = { MessageGroupId: groupId, MessageDeduplicationId: `redrive-${messageId}` };
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body, ...fifo, MessageAttributes }));
};
