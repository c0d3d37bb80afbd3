import { countMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import type { DeadLetterQueueName } from '../../lambdas/domain/dead-letter.ts';
import { type DeadLetter, type DeadLetterFilter, listDeadLetters, type ReadableQueue } from './dead-letter-queue.ts';
import { type KeptDeadLetter, keptDeadLetters } from './kept-dead-letters.ts';
import type { ManagementClient } from './management-client.ts';

/** The dead letters of a queue and those that moved from it to the table. */
export interface DeadLettersEverywhere {
  readonly deadLetters: readonly (DeadLetter | KeptDeadLetter)[];
  /** How many there are, as far as the listing read them. The number of those in the queue is approximate. */
  readonly total: number;
  /** How many of those that were read are in the table. */
  readonly kept: number;
  /** Whether the table has more, which were not read. */
  readonly hasMore: boolean;
  /** Whether some are hidden behind others of their message groups. */
  readonly areSomeBehind: boolean;
}

/** Lists up to `limit` dead letters, those in the table first. Reads no more than it needs for that. */
export const listEverywhere = async (
  api: ManagementClient,
  name: DeadLetterQueueName,
  queue: ReadableQueue,
  filter: DeadLetterFilter,
  limit: number,
  stop?: AbortSignal,
): Promise<DeadLettersEverywhere> => {
  const kept: KeptDeadLetter[] = [];
  let hasMore = false;
  for await (const one of keptDeadLetters(api, name, filter, { stop, limit: limit + 1 })) {
    hasMore = kept.length === limit;
    if (hasMore) break;
    kept.push(one);
  }
  const wanted = limit - kept.length;
  if (wanted === 0) {
    const { available } = await countMessages(queue.sqs, queue.url);
    return { deadLetters: kept, total: kept.length + available, kept: kept.length, hasMore, areSomeBehind: false };
  }
  const { deadLetters, total, isComplete } = await listDeadLetters(queue, filter, wanted, stop);
  return {
    deadLetters: [...kept, ...deadLetters],
    total: kept.length + total,
    kept: kept.length,
    hasMore,
    areSomeBehind: !isComplete && deadLetters.length < wanted,
  };
};
