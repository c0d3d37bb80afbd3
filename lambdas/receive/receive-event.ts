import type { SQSRecord } from 'aws-lambda';
import { backoffMs } from '../domain/backoff.ts';
import { toInstant } from '../domain/instant.ts';
import type { MetricName } from '../domain/metric-names.ts';
import { parseSerializedRequest, type VerifiedRequest } from '../domain/webhook-request.ts';
import type { InboundQueue, Log, Metrics, Randomness } from '../ports.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import type { StoreEvent, StoreResult } from './store-event.ts';

export interface ReceiveEventPorts {
  readonly storeEvent: StoreEvent;
  readonly inboundQueue: InboundQueue;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What happened to an authentic event. Every result except `not-stored` is acknowledged. */
export type Receipt = 'stored' | 'quarantined' | 'deferred' | 'not-stored';

const REPORT: Record<Receipt, { readonly metric: MetricName; readonly level: keyof Log; readonly message: string }> = {
  stored: { metric: 'EventStored', level: 'info', message: 'event stored' },
  quarantined: { metric: 'EventQuarantined', level: 'warn', message: 'event quarantined' },
  deferred: { metric: 'EventDeferred', level: 'warn', message: 'event deferred: the table is unavailable' },
  'not-stored': {
    metric: 'EventNotStored',
    level: 'error',
    message: 'event not stored: the table and the queue are unavailable; waiting for redelivery',
  },
};

/**
 * Creates the function that stores the event of an authentic webhook request. An event that cannot be stored is
 * quarantined. While the table is unavailable, events are deferred to the inbound queue. If the queue is unavailable
 * too, the event is not acknowledged, so it will be redelivered.
 */
export const createReceiveEvent =
  ({ storeEvent, inboundQueue, log, metrics }: Omit<ReceiveEventPorts, 'randomness'>) =>
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

/**
 * Creates the handler of messages from the inbound queue: webhook requests that were deferred, or redriven from
 * quarantine. Their events are stored by the same code as those of new requests.
 */
export const createDrainMessage =
  (ports: ReceiveEventPorts) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const { storeEvent, inboundQueue, randomness, log, metrics } = ports;
    const request = parseSerializedRequest(message.body);
    if (request === undefined) {
      log.error('queue message is not a webhook request; quarantined', { messageId: message.messageId });
      return quarantine(inboundQueue, wrapUnknownMessage(message), 'The queue message is not a webhook request.');
    }
    const stored = await storeEvent(request);
    switch (stored.kind) {
      case 'stored':
        metrics.count('EventStored');
        if (stored.withoutChannel) metrics.count('EventWithoutChannel');
        log.info('deferred event stored', { ...stored });
        return DONE;
      case 'unavailable':
        log.warn('deferred event not stored yet: the table is unavailable', { ...stored });
        return { kind: 'retry', afterMs: retryAfterMs(message, randomness) };
      case 'unstorable': {
        metrics.count('EventQuarantined');
        log.warn('deferred event quarantined', { ...stored });
        const deliveryId = stored.deliveryId ?? request.deliveryId;
        return quarantine(inboundQueue, { ...request, deliveryId }, stored.reason);
      }
    }
  };

const quarantine = async (queue: InboundQueue, request: VerifiedRequest, reason: string): Promise<MessageResult> =>
  (await queue.quarantine(request, reason)).kind === 'written' ? DONE : { kind: 'retry' };

/** Wraps a message of unknown origin so that an operator can read it. */
const wrapUnknownMessage = ({ body, attributes }: SQSRecord): VerifiedRequest => ({
  rawBody: Buffer.from(body),
  receivedAt: toInstant(new Date(Number(attributes.SentTimestamp))),
});

/** Kept short because the window of a user who wrote during an outage opens only when the message is stored. */
const MAX_RETRY_MS = 60_000;

const retryAfterMs = ({ attributes }: SQSRecord, randomness: Randomness): number =>
  Math.min(MAX_RETRY_MS, backoffMs(Number(attributes.ApproximateReceiveCount) || 1, randomness.random()));
