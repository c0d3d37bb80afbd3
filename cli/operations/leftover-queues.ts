import { ListQueuesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { parseDuration } from '../../lambdas/domain/duration.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import type { DeadLetter } from './dead-letter-queue.ts';
import { moveUnchanged, type Redriven } from './redrive.ts';

/** The queues of a stage that its bulk queues are named like, or are not among the leftovers. */
export interface SendQueueUrls {
  readonly sendQueueUrl: string;
  readonly bulkSendQueueUrl?: string | undefined;
  readonly bulkSendDeadLetterQueueUrl?: string | undefined;
}

/** In the names that CloudFormation gives to the send queue and, from the same construct, to the bulk queue. */
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

/** Whether a leftover queue has dead letters, not requests that nothing has received yet. */
const hasDeadLetters = (url: string): boolean => queueName(url).includes(`${BULK_QUEUE}DeadLetters`);

/**
 * Returns how the messages of a leftover queue are prepared to be moved to another send queue. There, the duration of a
 * request that was never received would start again, so a request whose duration is over stays.
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
