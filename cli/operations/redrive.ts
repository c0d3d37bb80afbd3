import { createHash, randomUUID } from 'node:crypto';
import { DeleteMessageCommand, type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterQueue,
  matchesFilter,
  readDeadLetter,
  receiveAll,
  release,
} from './dead-letter-queue.ts';
import { type ManagementClient, ManagementError } from './management-client.ts';

/** The queues that have a dead-letter queue: send requests, and inbound events. */
export type QueueName = 'send' | 'inbound';

/** The result of a redrive. */
export interface RedriveResult {
  readonly moved: number;
  /** Dead letters that were read and left in place: the filter excluded them, or they failed again during the redrive. */
  readonly left: number;
}

export interface MoveOptions {
  readonly filter: DeadLetterFilter;
  /** Called before each move. If it throws, the dead letter stays in place. */
  readonly beforeMove?: (deadLetter: DeadLetter) => Promise<void>;
  /** Called after each move with the number moved so far. */
  readonly onMoved?: (moved: number) => void;
}

/**
 * Redrives a queue's dead letters. A rejected send is reopened first; otherwise its consumer would dead-letter it again
 * at once.
 */
export const redrive = (
  name: QueueName,
  queue: DeadLetterQueue,
  api: ManagementClient,
  options: Omit<MoveOptions, 'beforeMove'>,
): Promise<RedriveResult> =>
  moveDeadLetters(queue, {
    ...options,
    beforeMove: async (deadLetter) => {
      if (name === 'send' && deadLetter.reason.startsWith('REJECTED')) await reopen(api, deadLetter);
    },
  });

const reopen = async (api: ManagementClient, { body }: DeadLetter): Promise<void> => {
  const { requestId }: { requestId?: unknown } = JSON.parse(body);
  const note = 'Redriven from the dead-letter queue.';
  try {
    await api('POST', '/v1/resolutions', { requestId, outcome: 'resend', enqueue: false, note });
  } catch (error) {
    // The send is gone or has another state by now; the consumer handles that when it receives the request.
    if (!(error instanceof ManagementError) || ![404, 409].includes(error.status)) throw error;
  }
};

/**
 * Moves dead letters to their destination queue, in order per message group. Each message is sent there before it is
 * deleted here, so an interrupted move can deliver a message twice but never loses one.
 *
 * SQS's own redrive has no filter, and cannot find the source of messages that an application put in the queue. Source:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export const moveDeadLetters = async (
  queue: DeadLetterQueue,
  { filter, beforeMove, onMoved }: MoveOptions,
): Promise<RedriveResult> => {
  const runId = randomUUID();
  const movedBodies = new Set<string>();
  const requeued = new Set<string>();
  const toRelease: Message[] = [];
  let moved = 0;
  try {
    for await (const message of receiveAll(queue)) {
      const deadLetter = readDeadLetter(message);
      const body = createHash('sha256').update(`${deadLetter.groupId} ${deadLetter.body}`).digest('base64');
      if (matchesFilter(filter, deadLetter) && !movedBodies.has(body)) {
        await beforeMove?.(deadLetter);
        await sendToDestination(queue, message);
        await remove(queue, message);
        movedBodies.add(body);
        moved += 1;
        onMoved?.(moved);
      } else if (deadLetter.groupId === undefined || wasSkippedBy(runId, message)) {
        toRelease.push(message);
      } else {
        // A message that stays blocks those behind it in its message group, so it goes to the end of the group.
        await requeue(queue, message, runId);
        await remove(queue, message);
        requeued.add(deadLetter.messageId);
      }
    }
  } finally {
    await release(queue, toRelease);
  }
  const leftInPlace = toRelease.filter((message) => !wasSkippedBy(runId, message)).length;
  return { moved, left: requeued.size + leftInPlace };
};

/** Marks the messages that a redrive has skipped, so that it recognizes them when it receives them again. */
const SKIPPED_BY = 'skippedBy';

const wasSkippedBy = (runId: string, { MessageAttributes }: Message): boolean =>
  MessageAttributes?.[SKIPPED_BY]?.StringValue === runId;

const sendToDestination = async (
  { sqs, destinationUrl }: DeadLetterQueue,
  { Body, MessageId, Attributes }: Message,
) => {
  const group = Attributes?.MessageGroupId;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: destinationUrl,
      MessageBody: Body,
      ...(group !== undefined && {
        MessageGroupId: group,
        // SQS could drop the original id as a duplicate. This one still deduplicates a repeated redrive.
        MessageDeduplicationId: `redrive-${MessageId}`,
      }),
    }),
  );
};

const requeue = async ({ sqs, url }: DeadLetterQueue, message: Message, runId: string) => {
  const { Body, MessageId, Attributes, MessageAttributes } = message;
  const attributes = Object.entries(MessageAttributes ?? {}).map(([name, { DataType, StringValue, BinaryValue }]) => [
    name,
    { DataType, StringValue, BinaryValue },
  ]);
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: Body,
      MessageGroupId: Attributes?.MessageGroupId,
      MessageDeduplicationId: `skipped-${runId}-${MessageId}`,
      MessageAttributes: {
        ...Object.fromEntries(attributes),
        [SKIPPED_BY]: { DataType: 'String', StringValue: runId },
      },
    }),
  );
};

const remove = async ({ sqs, url }: DeadLetterQueue, { ReceiptHandle }: Message) => {
  await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
};
