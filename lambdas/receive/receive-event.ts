import type { LOGGED_METRICS, MetricName } from '../domain/metric-names.ts';
import type { VerifiedRequest } from '../domain/webhook-request.ts';
import type { InboundQueue, Log, Metrics } from '../ports.ts';
import type { StoreEvent, StoreResult } from './store-event.ts';

export interface ReceiveEventPorts {
  readonly storeEvent: StoreEvent;
  readonly inboundQueue: InboundQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What happened to an authentic event. Every result except `not-stored` is acknowledged. */
export type Receipt = 'stored' | 'quarantined' | 'deferred' | 'not-stored';

/**
 * Without a `metric`, the outcome is counted by its log line. Its `reason` says why an event was not stored, or an
 * opt-out not confirmed.
 */
const REPORT: Record<Receipt, { readonly metric?: MetricName; readonly level: keyof Log; readonly message: string }> = {
  stored: { level: 'info', message: 'event stored' satisfies typeof LOGGED_METRICS.receive.EventStored },
  quarantined: { metric: 'EventQuarantined', level: 'warn', message: 'event quarantined' },
  deferred: { metric: 'EventDeferred', level: 'warn', message: 'event deferred to the inbound queue' },
  'not-stored': {
    metric: 'EventNotStored',
    level: 'error',
    message: 'event not acknowledged: the inbound queue is unavailable; waiting for redelivery',
  },
};

/**
 * Creates the function that stores the event of an authentic webhook request. An event that cannot be stored is
 * quarantined. While the table, or the queue for the confirmation of an opt-out, is unavailable, events are deferred to
 * the inbound queue. If that is unavailable too, the event is not acknowledged, so it will be redelivered.
 */
export const createReceiveEvent =
  ({ storeEvent, inboundQueue, log, metrics }: ReceiveEventPorts) =>
  async (request: VerifiedRequest): Promise<Receipt> => {
    const stored = await storeEvent(request);
    const { deliveryId } = stored;
    const receipt = await receiptOf(inboundQueue, { ...request, deliveryId }, stored);
    const { metric, level, message } = REPORT[receipt];
    if (metric !== undefined) metrics.count(metric);
    if (stored.kind === 'stored' && stored.withoutChannel) metrics.count('EventWithoutChannel');
    const { kind: _kind, ...details } = stored;
    log[level](message, details);
    return receipt;
  };

const receiptOf = async (queue: InboundQueue, request: VerifiedRequest, stored: StoreResult): Promise<Receipt> => {
  switch (stored.kind) {
    case 'stored':
      return 'stored';
    case 'unstorable':
      return (await queue.quarantine(request, stored.reason)).kind === 'written' ? 'quarantined' : 'not-stored';
    case 'unavailable':
      return (await queue.defer(request)).kind === 'written' ? 'deferred' : 'not-stored';
  }
};
