import { ListQueuesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { parseDuration } from '../../lambdas/domain/duration.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import type { DeadLetter } from './dead-letter-queue.ts';
import { moveUnchanged, type Redriven } from './redrive.ts';

/** The queues of a stack that its bulk queues are named like, or are not among the leftovers. */
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

/** In the names that CloudFormation gives to the send queue and, from the same construct, to the bulk queue. */
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
