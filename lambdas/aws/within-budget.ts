import { setTimeout as pause } from 'node:timers/promises';

/**
 * Settles when the call does, or fails once its time is up, whatever the SDK is doing then: its own time-outs count per
 * attempt and leave out the search for credentials and the pauses between attempts.
 *
 * A call that is given up may still have its effect; only what may be repeated is called like this.
 */
export const withinBudget = async <Answer>(
  budgetMs: number,
  call: (abortSignal: AbortSignal) => Promise<Answer>,
): Promise<Answer> => {
  const over = new AbortController();
  const finished = new AbortController();
  const timeUp = pause(budgetMs, undefined, { signal: finished.signal }).then(() => {
    over.abort();
    throw Object.assign(new Error(`No answer within ${budgetMs} ms.`), { name: 'TimeoutError' });
  });
  // The loser of the race fails with nobody to hear it.
  timeUp.catch(() => undefined);
  const calling = call(over.signal);
  calling.catch(() => undefined);
  try {
    return await Promise.race([calling, timeUp]);
  } finally {
    finished.abort();
  }
};
