import { setTimeout as sleep } from 'node:timers/promises';
import { LoggableError, ParleyError } from '../domain/errors.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { Clock, Sleep } from '../ports.ts';

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
    throw Object.assign(new LoggableError(`No answer within ${budgetMs} ms.`), { name: 'TimeoutError' });
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

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/**
 * Retries a write, with pauses, until it succeeds. Rejects with the last error once `deadline` has passed, and at once
 * with an error that a retry cannot fix.
 */
export const repeatUntil = async <Written>(
  deadline: Instant,
  write: () => Promise<Written>,
  { clock, sleep: pause }: { readonly clock: Clock; readonly sleep: Sleep },
): Promise<Written> => {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (error instanceof ParleyError || addMs(clock.now(), pauseMs) > deadline) throw error;
      await pause(pauseMs);
    }
  }
};
