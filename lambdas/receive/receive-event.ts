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
 * Creates the handler of the inbound queue's messages: webhook requests that were deferred, or redriven from
 * quarantine. They go through the same code as the webhook's.
 */
export const createDrainMessage =
  (ports: ReceiveEventPorts) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const { storeEvent, inboundQueue, randomness, log, metrics } = ports;
    const request = parseSerializedRequest(message.body);
    if (request === undefined) {
      log.error('queue message is not a webhook request; quarantined', { messageId: message.messageId });
      return quarantine(inboundQueue, foreignMessage(message), 'The queue message is not a webhook request.');
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
const foreignMessage = ({ body, attributes }: SQSRecord): VerifiedRequest => ({
  rawBody: Buffer.from(body),
  receivedAt: toInstant(new Date(Number(attributes.SentTimestamp))),
});

/** After a short outage, the window of a user who wrote meanwhile must open soon after the table is back. */
const MAX_RETRY_MS = 60_000;

const retryAfterMs = ({ attributes }: SQSRecord, randomness: Randomness): number =>
  Math.min(MAX_RETRY_MS, backoffMs(Number(attributes.ApproximateReceiveCount) || 1, randomness.random()));
