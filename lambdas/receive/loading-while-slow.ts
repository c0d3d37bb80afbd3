import type { Ms } from '../domain/duration.ts';
import type { StoreEvents } from './store-events.ts';

/**
 * Loads the queue's client while a slow table is awaited, so that loading takes none of the queue's time budget.
 *
 * @param afterMs how long the table may take before that
 */
export const loadingWhileSlow =
  (storeEvents: StoreEvents, load: () => Promise<unknown>, afterMs: Ms): StoreEvents =>
  async (request, budgetMs) => {
    const timer = setTimeout(() => void load().catch(() => undefined), afterMs);
    try {
      return await storeEvents(request, budgetMs);
    } finally {
      clearTimeout(timer);
    }
  };
