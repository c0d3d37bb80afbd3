import { LoggableError, ParleyError } from '../domain/errors.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { Clock, Sleep } from '../ports.ts';

/**
 * Resolves or rejects as the call does, or rejects with a `TimeoutError` when the budget is spent, whatever the SDK is
 * doing then. Without a budget, makes no call. The SDK's own timeouts apply to each attempt, and leave out credentials
 * and the pauses between attempts.
 *
 * An abandoned call may still take effect, so use this only for calls that can be repeated.
 */
export const withinBudget = <Answer>(
  budgetMs: number,
  call: (abortSignal: AbortSignal) => Promise<Answer>,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const timeout = () =>
      reject(Object.assign(new LoggableError(`No answer within ${budgetMs} ms.`), { name: 'TimeoutError' }));
    if (budgetMs <= 0) return timeout();
    const aborted = new AbortController();
    const answer = call(aborted.signal);
    // Avoids timers/promises: aborting one creates an error, which costs more than the rest of this function.
    const timer = setTimeout(() => {
      aborted.abort();
      timeout();
    }, budgetMs);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });

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
