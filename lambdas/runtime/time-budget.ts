import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves or rejects as the call does, or rejects with a `TimeoutError` when the budget is spent, whatever the SDK is
 * doing then. The SDK's own timeouts apply to each attempt, and leave out credentials and the pauses between attempts.
 *
 * An abandoned call may still take effect, so use this only for calls that can be repeated.
 */
export const withinBudget = async <Answer>(
  budgetMs: number,
  call: (abortSignal: AbortSignal) => Promise<Answer>,
): Promise<Answer> => {
  const aborted = new AbortController();
  const finished = new AbortController();
  const timeout = sleep(budgetMs, undefined, { signal: finished.signal }).then(() => {
    aborted.abort();
    throw Object.assign(new Error(`No answer within ${budgetMs} ms.`), { name: 'TimeoutError' });
  });
  const answer = call(aborted.signal);
  // Avoids an unhandled rejection of whichever promise loses the race.
  timeout.catch(() => undefined);
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    finished.abort();
  }
};
