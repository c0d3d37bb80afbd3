import type { MetricName } from '../domain/metric-names.ts';
import type { VerifiedRequest } from '../domain/webhook-request.ts';
import type { InboundQueue, Log, Metrics } from '../ports.ts';
import type { StoreEvent, StoreResult } from './store-event.ts';

export interface ReceiveEventPorts {
  readonly storeEvent: StoreEvent;
  readonly inboundQueue: InboundQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What became of an authentic event. All but `not-stored` are acknowledged. */
export type Receipt = 'stored' | 'quarantined' | 'deferred' | 'not-stored';

const REPORT: Record<Receipt, { readonly metric: MetricName; readonly level: keyof Log; readonly message: string }> = {
  stored: { metric: 'EventStored', level: 'info', message: 'event stored' },
  quarantined: { metric: 'EventQuarantined', level: 'warn', message: 'event quarantined' },
  deferred: { metric: 'EventDeferred', level: 'warn', message: 'event deferred: the table is unavailable' },
  'not-stored': {
    metric: 'EventNotStored',
    level: 'error',
    message: 'event left to redelivery: table and queue are unavailable',
  },
};

/**
 * Creates the function that takes in an authentic webhook request: it is stored, or quarantined, or, while the table is
 * unavailable, deferred to the inbound queue. Only when the queue is unavailable as well is it left to redelivery.
 */
export const createReceiveEvent =
  ({ storeEvent, inboundQueue, log, metrics }: ReceiveEventPorts) =>
  async (request: VerifiedRequest): Promise<Receipt> => {
    const stored = await storeEvent(request);
    const deliveryId = stored.deliveryId ?? request.deliveryId;
    const receipt = await receiptOf(inboundQueue, { ...request, deliveryId }, stored);
    const { metric, level, message } = REPORT[receipt];
    metrics.count(metric);
    if (stored.kind === 'stored' && stored.withoutChannel) metrics.count('EventWithoutChannel');
    log[level](message, { receipt, ...stored, deliveryId });
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
