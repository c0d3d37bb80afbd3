import { type DeadLetter, KEEP_AFTER_MS, subjectsOf } from '../domain/dead-letter.ts';
import { LoggableError } from '../domain/errors.ts';
import { addMs } from '../domain/instant.ts';
import type {
  Clock,
  DeadLetterSource,
  KeptDeadLetterRepository,
  Log,
  Metrics,
  Randomness,
  ReceivedDeadLetter,
} from '../ports.ts';
import { allOrFirstError, forEachConcurrently } from '../runtime/concurrency.ts';

export interface KeepDeadLettersOptions {
  readonly sources: readonly DeadLetterSource[];
  readonly deadLetters: KeptDeadLetterRepository;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'newId'>;
  readonly chatPlatform: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Creates the function that moves old dead letters from their queues to the table, before SQS deletes them. It stores
 * each one before it deletes the message, so an interruption repeats work but loses nothing.
 *
 * @param hasTime whether the invocation has time to move more
 * @throws Error if some could not be moved or were hidden, or if time ran out, so that Lambda retries
 */
export const createKeepDeadLetters =
  (options: KeepDeadLettersOptions) =>
  async (hasTime: () => boolean): Promise<void> => {
    const { sources, deadLetters, metrics } = options;
    try {
      await allOrFirstError(sources.map((source) => keepFrom(options, source, hasTime)));
    } finally {
      for (const { queue } of sources) {
        const { deadLetters: kept } = await deadLetters.list(queue, { limit: 1 });
        if (kept.length > 0) metrics.count('DeadLettersWaiting');
      }
    }
  };

/** Few, because a dead letter can take more than 1,000 write units. */
const WRITE_CONCURRENCY = 2;

const keepFrom = async (
  options: KeepDeadLettersOptions,
  source: DeadLetterSource,
  hasTime: () => boolean,
): Promise<void> => {
  const { clock, log } = options;
  const { available, inFlight } = await source.depth();
  const keepBefore = addMs(clock.now(), -KEEP_AFTER_MS);
  const toRelease = new Map<string, ReceivedDeadLetter>();
  let kept = 0;
  try {
    while (kept + toRelease.size < available) {
      if (!hasTime()) throw new LoggableError(`Time ran out before all dead letters of ${source.queue} were moved.`);
      const received = await source.receive();
      if (received.length === 0) break;
      for (const one of received) toRelease.set(one.id, one);
      const old = received.filter(({ since, isForeign }) => since <= keepBefore && !isForeign);
      await forEachConcurrently(WRITE_CONCURRENCY, old, async (one) => {
        await keep(options, source, one);
        toRelease.delete(one.id);
        kept += 1;
      });
    }
  } finally {
    if (toRelease.size > 0) await source.release([...toRelease.values()]);
    if (kept > 0) log.warn('dead letters moved to the table', { queue: source.queue, kept });
  }
  // If an attempt died, the dead letters that it had received are still hidden from Lambda's next attempt.
  if (inFlight > 0) throw new LoggableError(`Another consumer has received dead letters of ${source.queue}.`);
};

const keep = async (
  options: KeepDeadLettersOptions,
  source: DeadLetterSource,
  received: ReceivedDeadLetter,
): Promise<void> => {
  const { receiptHandle: _receiptHandle, ...deadLetter } = received;
  await keepDeadLetter(options, deadLetter);
  await source.remove(received);
};

/** Stores a dead letter in the table. */
export const keepDeadLetter = (
  {
    deadLetters,
    clock,
    randomness,
    chatPlatform,
  }: Pick<KeepDeadLettersOptions, 'deadLetters' | 'clock' | 'randomness' | 'chatPlatform'>,
  deadLetter: DeadLetter,
): Promise<void> =>
  deadLetters.keep(deadLetter, subjectsOf(deadLetter, chatPlatform), { at: clock.now(), keepId: randomness.newId() });
