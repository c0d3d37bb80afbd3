import { createHash, randomUUID } from 'node:crypto';
import { DeleteMessageCommand, type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { KeptQueue } from '../../lambdas/domain/dead-letter.ts';
import { TRACEPARENT } from '../../lambdas/domain/trace-context.ts';
import {
  type DeadLetter,
  type DeadLetterFilter,
  matchesFilter,
  type ReadableQueue,
  type RedrivenQueue,
  readDeadLetter,
  receiveAll,
  releaseAfter,
  SINCE,
} from './dead-letter-queue.ts';
import { deleteKept, keptDeadLetters, readKept } from './kept-dead-letters.ts';
import type { ManagementClient } from './management-client.ts';

/** What a redrive does with a dead letter. */
export type Redriven =
  | {
      readonly kind: 'move';
      readonly body: string;
      readonly groupId?: string | undefined;
      /** @default the queue's own destination */
      readonly destinationUrl?: string | undefined;
    }
  /** There is nothing to move, so the dead letter is deleted. */
  | { readonly kind: 'delete'; readonly why: string }
  /** The dead letter cannot be moved and stays. */
  | { readonly kind: 'leave'; readonly why: string };

export interface RedriveOptions {
  readonly filter: DeadLetterFilter;
  /**
   * Decides what to do with a dead letter. If it throws, the dead letter stays in place.
   *
   * @default moves it unchanged
   */
  readonly prepare?: (deadLetter: DeadLetter) => Promise<Redriven>;
  /** Called after each move with the number moved so far. */
  readonly onMoved?: (moved: number) => void;
  /** Receives a sentence about each dead letter that is deleted or cannot be moved. */
  readonly onException?: (why: string) => void;
  /** When aborted, the redrive stops before the next dead letter and throws the signal's reason. @default never */
  readonly stop?: AbortSignal;
  /** The dead letters that Parley moved from the queue to the table. They are redriven first. @default none */
  readonly kept?: KeptDeadLetters;
}

/** A queue's dead letters in the table. */
export interface KeptDeadLetters {
  readonly api: ManagementClient;
  readonly name: KeptQueue;
}

/** The result of a redrive. */
export interface RedriveResult {
  readonly moved: number;
  /** Dead letters that were deleted because there was nothing to move. */
  readonly deleted: number;
  /**
   * Dead letters that were read and left in place: the filter excluded them, they cannot be moved, or they failed again
   * during the redrive.
   */
  readonly left: number;
}

/**
 * Moves dead letters to their destination queue, in order per message group. Each message is sent there before it is
 * deleted here, so an interrupted move can deliver a message twice but never loses one.
 *
 * SQS's own redrive has no filter, and cannot find the source of messages that an application put in the queue. Source:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export const redrive = async (
  queue: RedrivenQueue,
  { filter, prepare = moveUnchanged, onMoved, onException, stop, kept }: RedriveOptions,
): Promise<RedriveResult> => {
  const runId = randomUUID();
  const movedBodies = new Set<string>();
  const requeued = new Set<string>();
  /** The messages that stay, as last received, by message ID. */
  const toRelease = new Map<string, Message>();
  let moved = 0;
  let deleted = 0;
  let leftInTable = 0;
  const countMove = (body: string): void => {
    movedBodies.add(body);
    moved += 1;
    onMoved?.(moved);
  };
  for await (const { messageId } of kept ? keptDeadLetters(kept.api, kept.name, filter, { stop }) : []) {
    const deadLetter = kept && (await readKept(kept.api, kept.name, messageId));
    if (!kept || !deadLetter) continue;
    const redriven = await prepare(deadLetter);
    if (redriven.kind !== 'move') onException?.(redriven.why);
    if (redriven.kind === 'leave') {
      leftInTable += 1;
      continue;
    }
    if (redriven.kind === 'move') {
      await sendToDestination(queue, deadLetter, redriven);
      countMove(digestOf(deadLetter));
    } else deleted += 1;
    await deleteKept(kept.api, messageId);
  }
  await releaseAfter(queue, toRelease, async () => {
    for await (const message of eachReceived(queue, toRelease, stop)) {
      const deadLetter = readDeadLetter(message);
      const body = digestOf(deadLetter);
      const isSkipped = wasSkippedBy(runId, message);
      const isSelected = matchesFilter(filter, deadLetter) && !movedBodies.has(body) && !isSkipped;
      const redriven = isSelected ? await prepare(deadLetter) : undefined;
      if (redriven !== undefined && redriven.kind !== 'move') onException?.(redriven.why);
      if (redriven?.kind === 'move') {
        await sendToDestination(queue, deadLetter, redriven);
        await remove(queue, message);
        toRelease.delete(deadLetter.messageId);
        countMove(body);
      } else if (redriven?.kind === 'delete') {
        await remove(queue, message);
        toRelease.delete(deadLetter.messageId);
        deleted += 1;
      } else if (deadLetter.groupId !== undefined && !isSkipped) {
        // A message that stays blocks those behind it in its message group, so it goes to the end of the group.
        await requeue(queue, message, runId, deadLetter.since);
        await remove(queue, message);
        toRelease.delete(deadLetter.messageId);
        requeued.add(deadLetter.messageId);
      }
    }
  });
  const leftInPlace = [...toRelease.values()].filter((message) => !wasSkippedBy(runId, message)).length;
  return { moved, deleted, left: requeued.size + leftInPlace + leftInTable };
};

/** Identifies a message that failed again during the redrive: it returns with another ID. */
const digestOf = ({ groupId, body }: DeadLetter): string =>
  createHash('sha256').update(`${groupId} ${body}`).digest('base64');

export const moveUnchanged = async ({ body, groupId }: DeadLetter): Promise<Redriven> => ({
  kind: 'move',
  body,
  groupId,
});

/** Yields each message. Before that, adds all messages of the same receive to `received`. */
async function* eachReceived(
  queue: RedrivenQueue,
  received: Map<string, Message>,
  stop: AbortSignal | undefined,
): AsyncGenerator<Message> {
  for await (const messages of receiveAll(queue, stop)) {
    for (const message of messages) received.set(message.MessageId ?? '', message);
    for (const message of messages) {
      stop?.throwIfAborted();
      yield message;
    }
  }
}

/** Marks the messages that a redrive has skipped, so that it recognizes them when it receives them again. */
const SKIPPED_BY = 'skippedBy';

const wasSkippedBy = (runId: string, { MessageAttributes }: Message): boolean =>
  MessageAttributes?.[SKIPPED_BY]?.StringValue === runId;

export const sendToDestination = async (
  { sqs, destinationUrl }: RedrivenQueue,
  { messageId, traceparent }: Pick<DeadLetter, 'messageId' | 'traceparent'>,
  { body, groupId, destinationUrl: ownUrl = destinationUrl }: Extract<Redriven, { kind: 'move' }>,
) => {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: ownUrl,
      MessageBody: body,
      ...(traceparent !== undefined && {
        MessageAttributes: { [TRACEPARENT]: { DataType: 'String', StringValue: traceparent } },
      }),
      ...(groupId !== undefined && {
        MessageGroupId: groupId,
        // SQS could drop the original id as a duplicate. This one still deduplicates a repeated redrive.
        MessageDeduplicationId: `redrive-${messageId}`,
      }),
    }),
  );
};

const requeue = async ({ sqs, url }: RedrivenQueue, message: Message, runId: string, since: string | undefined) => {
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
        ...(since !== undefined && { [SINCE]: { DataType: 'String', StringValue: since } }),
        [SKIPPED_BY]: { DataType: 'String', StringValue: runId },
      },
    }),
  );
};

export const remove = async ({ sqs, url }: ReadableQueue, { ReceiptHandle }: Message) => {
  await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
};
