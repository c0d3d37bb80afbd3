import type { SQSRecord } from 'aws-lambda';
import { backoffMs } from '../domain/backoff.ts';
import { toInstant } from '../domain/instant.ts';
import { parseSerializedRequest } from '../domain/serialized-request.ts';
import type { VerifiedRequest } from '../domain/webhook-request.ts';
import type { Randomness } from '../ports.ts';
import { mapConcurrently } from '../runtime/concurrency.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import type { DeliveryFormat } from './auth/webhook-auth.ts';
import { countRemarks, MAX_CONCURRENT_QUARANTINES, quarantine, type ReceiveEventsPorts } from './receive-events.ts';
import type { StoreResult } from './store-events.ts';
import { TIME_BUDGET } from './time-budget.ts';

export type DrainMessageOptions = ReceiveEventsPorts & {
  readonly randomness: Randomness;
  readonly format: DeliveryFormat;
};

/**
 * Creates the handler of messages from the inbound queue: webhook requests that were deferred, or redriven from
 * quarantine. Their events are stored by the same code as those of new requests.
 */
export const createDrainMessage =
  (options: DrainMessageOptions) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const { storeEvents, inboundQueue, randomness, format, log, metrics } = options;
    const retry: MessageResult = { kind: 'retry', afterMs: retryAfterMs(message, randomness) };

    const request = parseSerializedRequest(message.body, format.envelope);
    if (request === undefined) {
      log.error('queue message is not a webhook request; quarantined', { messageId: message.messageId });
      const reason = 'The queue message is not a webhook request.';
      const quarantined = await inboundQueue.quarantine(wrapUnknownMessage(message), reason);
      return quarantined.kind === 'written' ? DONE : retry;
    }
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
      metrics.count('EventQuarantined');
      const { body: _body, ...details } = result;
      log.warn('deferred event quarantined', details);
      return quarantine(inboundQueue, request, result);
    };
    const finished = await mapConcurrently(MAX_CONCURRENT_QUARANTINES, results, async (result) =>
      result.kind === 'unavailable' ? false : finish(result),
    );
    return finished.every((isDone) => isDone) ? DONE : retry;
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
