import { withinBudget } from '../../runtime/time-budget.ts';
import type { WatchWrite } from './watch-arrivals.ts';

/** How long the answer waits for what is watched after its own writes are done. A write takes a few milliseconds. */
const WATCH_GRACE_MS = 100;

/**
 * Starts a write that must not delay the answer: `end` waits for it briefly, and then aborts it. Its failure does not
 * matter.
 */
export const startWatchWrite = (write: WatchWrite, budgetMs: number): { readonly end: () => Promise<void> } => {
  const ended = new AbortController();
  const written = withinBudget(budgetMs, (abortSignal) => write(AbortSignal.any([abortSignal, ended.signal]))).catch(
    () => undefined,
  );
  return {
    async end() {
      const grace = Promise.withResolvers<void>();
      const timer = setTimeout(grace.resolve, WATCH_GRACE_MS);
      await Promise.race([written, grace.promise]);
      clearTimeout(timer);
      ended.abort();
    },
  };
};
