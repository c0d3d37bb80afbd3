import { ListQueuesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { parseDuration } from '../../lambdas/domain/duration.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import type { DeadLetter } from './dead-letter-queue.ts';
import { moveUnchanged, type Redriven } from './redrive.ts';

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

/**
 * Returns a function that decides whether a message of a leftover queue is moved to another send queue. The move
 * restarts the duration of a request that was never received, so a request whose duration has already passed is left.
 */
export const prepareLeftover =
  (url: string, nowMs: number) =>
  async (message: DeadLetter): Promise<Redriven> => {
    const { requestId, sendAt, notAfter } = Object(parseJson(message.body));
    const durationMs = sendAt === undefined ? parseDuration(notAfter) : undefined;
    const isOver = durationMs !== undefined && Date.parse(message.since ?? '') + durationMs <= nowMs;
    return isOver && !hasDeadLetters(url)
      ? { kind: 'leave', why: `The notAfter of ${requestId} has passed, so it was left in ${queueName(url)}.` }
      : moveUnchanged(message);
  };
