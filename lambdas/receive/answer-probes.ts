import { isProbe } from '../domain/webhook-probe.ts';
import type { Log, Metrics } from '../ports.ts';
import type { StoreEvents } from './store-events.ts';

/**
 * Adds the answer to probes: an authentic one is counted, and nothing is stored. Works the same for a request that comes
 * from the inbound queue.
 */
export const answeringProbes =
  (storeEvents: StoreEvents, { log, metrics }: { readonly log: Log; readonly metrics: Metrics }): StoreEvents =>
  async (request, budgetMs) => {
    if (!isProbe(request.rawBody)) return storeEvents(request, budgetMs);
    metrics.count('WebhookProbed');
    log.info('webhook probe accepted', {});
    return [];
  };
