import type { VerifiedPost } from '../domain/verified-post.ts';
import type { InboundQueue, Log, MetricName, Metrics } from '../ports.ts';
import type { StoredEvent, StoreEvent } from './store-event.ts';

/** What became of an authentic post. All but `unavailable` are acknowledged: an authentic event is never refused. */
export type Receipt = 'stored' | 'quarantined' | 'deferred' | 'unavailable';

export interface ReceiveEventPorts {
  readonly storeEvent: StoreEvent;
  readonly inboundQueue: InboundQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Takes in an authentic post: stored; or kept aside for a person; or, while the table is out of reach, put on the
 * inbound queue; only when table and queue are both gone is it left to the carrier to bring it again.
 */
export const createReceiveEvent =
  ({ storeEvent, inboundQueue, log, metrics }: ReceiveEventPorts) =>
  async (post: VerifiedPost): Promise<Receipt> => {
    const stored = await storeEvent(post);
    const carrierMessageId = stored.carrierMessageId ?? post.carrierMessageId;
    const receipt = await receiptFor(inboundQueue, { ...post, carrierMessageId }, stored);
    const { metric, level, message } = REPORT[receipt];
    metrics.count(metric);
    if (stored.kind === 'stored' && stored.withoutChannel) metrics.count('EventWithoutChannel');
    log[level](message, { receipt, ...stored, carrierMessageId });
    return receipt;
  };

const receiptFor = async (queue: InboundQueue, post: VerifiedPost, stored: StoredEvent): Promise<Receipt> => {
  switch (stored.kind) {
    case 'stored':
      return 'stored';
    case 'unstorable':
      return (await queue.quarantine(post, stored.reason)).kind === 'written' ? 'quarantined' : 'unavailable';
    case 'unreachable':
      return (await queue.defer(post)).kind === 'written' ? 'deferred' : 'unavailable';
  }
};

const REPORT: Record<Receipt, { readonly metric: MetricName; readonly level: keyof Log; readonly message: string }> = {
  stored: { metric: 'EventStored', level: 'info', message: 'event stored' },
  quarantined: { metric: 'EventQuarantined', level: 'warn', message: 'event kept aside for a person' },
  deferred: { metric: 'EventDeferred', level: 'warn', message: 'event deferred: the table is out of reach' },
  unavailable: {
    metric: 'EventUnavailable',
    level: 'error',
    message: 'event left to redelivery: neither table nor queue took it',
  },
};
