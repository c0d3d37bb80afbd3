import { ListQueuesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { parseDuration } from '../../lambdas/domain/duration.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import type { DeadLetter } from './dead-letter-queue.ts';
import { moveUnchanged, type Redriven } from './redrive.ts';

/** A stage's send queue, whose name shows how its bulk queues are named, and its current bulk queues, if any. */
export interface SendQueueUrls {
  readonly sendQueueUrl: string;
  readonly bulkSendQueueUrl?: string | undefined;
  readonly bulkSendDeadLetterQueueUrl?: string | undefined;
}

/** Parts of the names that CloudFormation gives to the send queue and to the bulk queue of the same construct. */
const SEND_QUEUE = 'SendQueue';
const BULK_QUEUE = 'BulkSendQueue';

/**
 * Finds the bulk queues, and their dead-letter queues, that the stack no longer has: a production stage keeps them when
 * `sends.bulkLane` is removed, but nothing consumes or watches them.
 */
export const findLeftoverQueues = async (sqs: SQSClient, stage: SendQueueUrls): Promise<readonly string[]> => {
  const sendQueue = queueName(stage.sendQueueUrl);
  const end = sendQueue.lastIndexOf(SEND_QUEUE);
  if (end === -1) return [];
  const own = [stage.bulkSendQueueUrl ?? '', stage.bulkSendDeadLetterQueueUrl ?? ''].map(queueName);
  const QueueNamePrefix = `${sendQueue.slice(0, end)}${BULK_QUEUE}`;
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix }));
  return QueueUrls.filter((url) => !own.includes(queueName(url)));
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
