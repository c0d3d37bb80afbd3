import type { SQSRecord } from 'aws-lambda';
import { backoffMs } from '../domain/backoff.ts';
import { type BufferedRequest, isBuffered } from '../domain/buffered-request.ts';
import { toInstant } from '../domain/instant.ts';
import { parseSerializedRequest, readBufferedRequest } from '../domain/serialized-request.ts';
import type { DeliveryFormat } from '../domain/webhook-auth.ts';
import type { VerifiedRequest } from '../domain/webhook-request.ts';
import type { Randomness, WriteResult } from '../ports.ts';
import { mapConcurrently } from '../runtime/concurrency.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import { REFETCH_INTERVAL_MS } from './auth/stale-if-error-cache.ts';
import { countRefused } from './count-refused.ts';
import { countRemarks, MAX_CONCURRENT_QUARANTINES, quarantine, type ReceiveEventsPorts } from './receive-events.ts';
import type { StoreResult } from './store-events.ts';
import { TIME_BUDGET } from './time-budget.ts';
import type { VerifyRequest } from './verify-request.ts';

export type DrainMessageOptions = ReceiveEventsPorts & {
  readonly randomness: Randomness;
  readonly format: DeliveryFormat;
  /**
   * Verifies the requests that API Gateway put on the queue. With direct ingress, it did so while the stage still had a
   * buffered one.
   */
  readonly verifyRequest: VerifyRequest;
  /** Puts a message on the dead-letter queue as it is, because it does not fit there in another form. */
  readonly quarantineMessage: (body: string, reason: string) => Promise<WriteResult>;
};

/**
 * Creates the handler of messages from the inbound queue: webhook requests that were deferred, redriven from quarantine,
 * or, with buffered ingress, not verified yet. Their events are stored by the same code as those of the webhook.
 */
export const createDrainMessage =
  (options: DrainMessageOptions) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const { storeEvents, randomness, log, metrics } = options;
    const retry: Retry = { kind: 'retry', afterMs: retryAfterMs(message, randomness) };

    const opened = await openMessage(options, message, retry);
    if (opened.kind !== 'authentic') return opened;
    const { request } = opened;
    const results = await storeEvents(request, TIME_BUDGET.drain);
    const unavailable = results.find(({ kind }) => kind === 'unavailable');
    if (unavailable !== undefined) {
      log.warn('deferred event waits longer in the inbound queue', { ...unavailable });
      return retry;
    }
    const finish = async (result: Exclude<StoreResult, { kind: 'unavailable' }>): Promise<boolean> => {
      if (result.kind === 'stored') {
        metrics.count('EventStored');
        countRemarks(metrics, result);
        log.info('deferred event stored', { ...result });
        return true;
      }
      const { body: _body, ...details } = result;
      if (!(await quarantineEvent(options, message, request, result))) {
        log.warn('deferred event waits longer in the inbound queue', details);
        return false;
      }
      metrics.count('EventQuarantined');
      log.warn('deferred event quarantined', details);
      return true;
    };
    const finished = await mapConcurrently(MAX_CONCURRENT_QUARANTINES, results, async (result) =>
      result.kind === 'unavailable' ? false : finish(result),
    );
    return finished.every((isDone) => isDone) ? DONE : retry;
  };

/** Returns whether the dead-letter queue took the event, or the whole message if the event does not fit there. */
const quarantineEvent = async (
  { inboundQueue, quarantineMessage }: DrainMessageOptions,
  { body }: SQSRecord,
  request: VerifiedRequest,
  result: Extract<StoreResult, { kind: 'unstorable' }>,
): Promise<boolean> => {
  const written = await quarantine(inboundQueue, request, result);
  return (written.kind === 'refused' ? await quarantineMessage(body, result.reason) : written).kind === 'written';
};

type Retry = Extract<MessageResult, { kind: 'retry' }> & { readonly afterMs: number };
type Opened = MessageResult | { readonly kind: 'authentic'; readonly request: VerifiedRequest };

/** Returns the authentic request in a message, or else what to do with the message. */
const openMessage = async (options: DrainMessageOptions, message: SQSRecord, retry: Retry): Promise<Opened> => {
  const { format, verifyRequest, log } = options;
  const request = parseSerializedRequest(message.body, format.envelope);
  const buffered = readBufferedRequest(message.body, request);
  if (buffered !== undefined) return verify(options, verifyRequest, buffered, retry);
  if (request !== undefined) return { kind: 'authentic', request };
  const reason = isBuffered(message.body) ? UNREADABLE_BUFFERED : NOT_A_REQUEST;
  const unknown = { kind: 'unstorable', reason } as const;
  if (!(await quarantineEvent(options, message, wrapUnknownMessage(message), unknown))) return retry;
  log.error('queue message is not a webhook request; quarantined', { messageId: message.messageId });
  return DONE;
};

const NOT_A_REQUEST = 'The queue message is not a webhook request.';
const UNREADABLE_BUFFERED =
  'unverified: the queue message is not a webhook request in the form in which API Gateway writes them.';

/** Nobody waits for the answer, so what cannot be decided yet waits in the queue. */
const verify = async (
  { format, log, metrics }: DrainMessageOptions,
  verifyRequest: VerifyRequest,
  buffered: BufferedRequest,
  retry: Retry,
): Promise<Opened> => {
  const { requestId } = buffered;
  const verification = await verifyRequest(buffered);
  switch (verification.kind) {
    case 'authentic':
      return verification;
    case 'handled':
      return DONE;
    case 'unauthenticated':
      // Nobody repeats a request that is dropped here, so newer secrets or keys decide first.
      if (verification.isProvisional) return { kind: 'retry', afterMs: Math.max(REFETCH_INTERVAL_MS, retry.afterMs) };
      log.warn('webhook request dropped: unauthenticated', {
        ...countRefused({ format, metrics }, buffered.unverifiedBody, verification.reason),
        requestId,
      });
      return DONE;
    case 'unavailable':
      metrics.count('WebhookVerificationUnavailable');
      log.error('webhook request not verified: verification unavailable; it waits in the inbound queue', {
        reason: verification.reason,
        requestId,
      });
      return retry;
  }
};

/** Wraps a message of unknown origin so that an operator can read it. */
const wrapUnknownMessage = ({ body, attributes }: SQSRecord): VerifiedRequest => ({
  rawBody: Buffer.from(body),
  receivedAt: toInstant(new Date(Number(attributes.SentTimestamp))),
});

/** After a short outage, the window of a user who wrote meanwhile must open soon after the table is back. */
const MAX_RETRY_MS = 60_000;

const retryAfterMs = ({ attributes }: SQSRecord, randomness: Randomness): number =>
  Math.min(MAX_RETRY_MS, backoffMs(Number(attributes.ApproximateReceiveCount) || 1, randomness.random()));
