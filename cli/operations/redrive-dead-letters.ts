import { createHash, randomUUID } from 'node:crypto';
import { DeleteMessageCommand, type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterQueue,
  matches,
  readDeadLetter,
  receiveAll,
  release,
} from './dead-letter-queue.ts';

/** What a redrive did. */
export interface Redriven {
  readonly moved: number;
  /** Met and left where they were: another reason, or they had come back within this redrive. */
  readonly left: number;
}

export interface RedriveOptions {
  readonly filter: DeadLetterFilter;
  /** Called before a letter goes back: what was rejected for good has to be opened again, or it would return at once. */
  readonly beforeMove?: (letter: DeadLetter) => Promise<void>;
  /** Told after each move, for a bar. */
  readonly onMoved?: (moved: number) => void;
}

/**
 * Moves dead letters back to their queue, in order per message group. Each is put there before it is deleted here: one
 * that the redrive dies between may come twice, which the consumers bear.
 *
 * We do this ourselves: SQS's own redrive takes no filter, and does not know where a message came from that a program put
 * on the queue. Source:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export const redriveDeadLetters = async (
  queue: DeadLetterQueue,
  { filter, beforeMove, onMoved }: RedriveOptions,
): Promise<Redriven> => {
  const run = randomUUID();
  const movedBodies = new Set<string>();
  const passedOver = new Set<string>();
  const held: Message[] = [];
  let moved = 0;
  try {
    for await (const message of receiveAll(queue)) {
      const letter = readDeadLetter(message);
      const body = createHash('sha256').update(`${letter.groupId} ${letter.body}`).digest('base64');
      if (matches(filter, letter) && !movedBodies.has(body)) {
        await beforeMove?.(letter);
        await putBack(queue, message);
        await remove(queue, message);
        movedBodies.add(body);
        moved += 1;
        onMoved?.(moved);
      } else if (letter.groupId === undefined || message.MessageAttributes?.[PASSED]?.StringValue === run) {
        held.push(message);
      } else {
        // A letter that stays hides those behind it in its group, so it goes to the group's end, behind the others.
        await passOver(queue, message, run);
        await remove(queue, message);
        passedOver.add(letter.messageId);
      }
    }
  } finally {
    await release(queue, held);
  }
  const heldHere = held.filter((message) => message.MessageAttributes?.[PASSED]?.StringValue !== run).length;
  return { moved, left: passedOver.size + heldHere };
};

/** Tells the letters that a redrive has passed over from those that it has yet to look at. */
const PASSED = 'passedBy';

const putBack = async ({ sqs, destinationUrl }: DeadLetterQueue, { Body, MessageId, Attributes }: Message) => {
  const group = Attributes?.MessageGroupId;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: destinationUrl,
      MessageBody: Body,
      ...(group !== undefined && {
        MessageGroupId: group,
        // Its own id might be swallowed as a repetition; this one makes one move of a repeated redrive.
        MessageDeduplicationId: `redrive-${MessageId}`,
      }),
    }),
  );
};

const passOver = async ({ sqs, url }: DeadLetterQueue, message: Message, run: string) => {
  const { Body, MessageId, Attributes, MessageAttributes } = message;
  const kept = Object.entries(MessageAttributes ?? {}).map(([name, { DataType, StringValue, BinaryValue }]) => [
    name,
    { DataType, StringValue, BinaryValue },
  ]);
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: Body,
      MessageGroupId: Attributes?.MessageGroupId,
      MessageDeduplicationId: `passed-${run}-${MessageId}`,
      MessageAttributes: { ...Object.fromEntries(kept), [PASSED]: { DataType: 'String', StringValue: run } },
    }),
  );
};

const remove = async ({ sqs, url }: DeadLetterQueue, { ReceiptHandle }: Message) => {
  await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
};
