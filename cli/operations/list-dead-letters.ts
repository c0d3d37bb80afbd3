import type { Message } from '@aws-sdk/client-sqs';
import {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterQueue,
  matches,
  queueDepth,
  readDeadLetter,
  receiveAll,
  release,
} from './dead-letter-queue.ts';

/** The dead letters that can be seen. */
export interface DeadLetterList {
  readonly letters: readonly DeadLetter[];
  /** How many the queue holds in all, about. */
  readonly total: number;
  /** Whether all of them were looked at; a FIFO queue hands out the first ones of a group and keeps what is behind them to itself. */
  readonly isWhole: boolean;
}

/**
 * Looks at a dead-letter queue and puts everything back: SQS can only show what it hands out.
 *
 * @param limit How many letters to find at most.
 */
export const listDeadLetters = async (
  queue: DeadLetterQueue,
  filter: DeadLetterFilter & { readonly messageId?: string },
  limit: number,
): Promise<DeadLetterList> => {
  const { waiting } = await queueDepth(queue.sqs, queue.url);
  const held: Message[] = [];
  const letters: DeadLetter[] = [];
  try {
    for await (const message of receiveAll(queue)) {
      held.push(message);
      const letter = readDeadLetter(message);
      if (matches(filter, letter) && (filter.messageId ?? letter.messageId) === letter.messageId) letters.push(letter);
      if (letters.length >= limit) break;
    }
  } finally {
    await release(queue, held);
  }
  return { letters, total: Math.max(waiting, held.length), isWhole: held.length >= waiting };
};
