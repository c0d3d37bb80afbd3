import type { LOGGED_METRICS, MetricName } from '../domain/metric-names.ts';
import { type VerifiedRequest, withoutEnvelope } from '../domain/webhook-request.ts';
import type { InboundQueue, Log, Metrics, WriteResult } from '../ports.ts';
import type { StoreEvents, StoreResult } from './store-events.ts';

export interface ReceiveEventsPorts {
  readonly storeEvents: StoreEvents;
  readonly inboundQueue: InboundQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What happened to the events of an authentic request. Every result except `not-stored` is acknowledged. */
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
 * Creates the function that stores the events of an authentic webhook request. An event that cannot be stored is
 * quarantined, without the others of its request. While the table, or the queue for the confirmation of an opt-out, is
 * unavailable, the whole request is deferred to the inbound queue: storing an event again changes nothing. If that queue
 * is unavailable too, the request is not acknowledged, so it will be redelivered.
 */
export const createReceiveEvents =
  ({ storeEvents, inboundQueue, log, metrics }: ReceiveEventsPorts) =>
  async (request: VerifiedRequest): Promise<Receipt> => {
    const report = (receipt: Receipt, { kind: _kind, ...result }: StoreResult, events?: number): Receipt => {
      const { metric, level, message } = REPORT[receipt];
      if (metric !== undefined) metrics.count(metric);
      const { body: _body, ...details } = { body: undefined, ...result };
      log[level](message, { ...details, ...(events !== undefined && events > 1 && { events }) });
      return receipt;
    };
    const results = await storeEvents(request);
    // The webhook has no time to quarantine many events one by one.
    const unstorable = results.filter(({ kind }) => kind === 'unstorable');
    const deferred =
      results.find(({ kind }) => kind === 'unavailable') ??
      (unstorable.length > MAX_CONCURRENT_QUARANTINES ? unstorable[0] : undefined);
    if (deferred !== undefined) {
      const { deliveryId } = deferred;
      const isDeferred = (await inboundQueue.defer({ ...request, deliveryId })).kind === 'written';
      return report(isDeferred ? 'deferred' : 'not-stored', deferred, results.length);
    }
    const receipts = await Promise.all(
      results.map(async (result): Promise<Receipt> => {
        if (result.kind === 'stored') countRemarks(metrics, result);
        if (result.kind !== 'unstorable') return report('stored', result);
        const isQuarantined = (await quarantine(inboundQueue, request, result)).kind === 'written';
        return report(isQuarantined ? 'quarantined' : 'not-stored', result);
      }),
    );
    return WORST_FIRST.find((receipt) => receipts.includes(receipt)) ?? 'stored';
  };

/** How many events are put on the dead-letter queue at once. */
export const MAX_CONCURRENT_QUARANTINES = 5;

const WORST_FIRST: readonly Receipt[] = ['not-stored', 'quarantined'];

/** Counts what an operator should know about a stored event. */
export const countRemarks = (metrics: Metrics, stored: Extract<StoreResult, { kind: 'stored' }>): void => {
  if (stored.withoutChannel) metrics.count('EventWithoutChannel');
  if (stored.withoutTime) metrics.count('EventTimeUnreadable');
  if (stored.withoutSender) metrics.count('SenderUnknown');
  if (stored.unknown !== undefined) metrics.count('WebhookEventUnknown');
  if (stored.hasNewName) metrics.count('WebhookEventNew');
};

/** Quarantines an event that cannot be stored. */
export const quarantine = async (
  queue: Pick<InboundQueue, 'quarantine'>,
  request: VerifiedRequest,
  { body, deliveryId, reason }: Extract<StoreResult, { reason: string; kind: 'unstorable' }>,
): Promise<WriteResult> => {
  // Only the event, if its request has others.
  const quarantined = body === undefined ? request : { ...withoutEnvelope(request), rawBody: Buffer.from(body) };
  return queue.quarantine({ ...quarantined, deliveryId }, reason);
};
