import type { SQSRecord } from 'aws-lambda';
import { backoffMs } from '../domain/backoff.ts';
import { toInstant } from '../domain/instant.ts';
import { parseSerializedRequest } from '../domain/serialized-request.ts';
import type { VerifiedRequest } from '../domain/webhook-request.ts';
import type { Randomness } from '../ports.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';
import type { DeliveryFormat } from './auth/webhook-auth.ts';
import type { ReceiveEventPorts } from './receive-event.ts';

export type DrainMessageOptions = ReceiveEventPorts & {
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
    const { storeEvent, inboundQueue, randomness, format, log, metrics } = options;
    const retry: MessageResult = { kind: 'retry', afterMs: retryAfterMs(message, randomness) };
    const quarantine = async (quarantined: VerifiedRequest, reason: string): Promise<MessageResult> =>
      (await inboundQueue.quarantine(quarantined, reason)).kind === 'written' ? DONE : retry;

    const request = parseSerializedRequest(message.body, format.envelope);
    if (request === undefined) {
      log.error('queue message is not a webhook request; quarantined', { messageId: message.messageId });
      const reason = 'The queue message is not a webhook request.';
      return quarantine(wrapUnknownMessage(message), reason);
    }
    const stored = await storeEvent(request);
    switch (stored.kind) {
      case 'stored':
        metrics.count('EventStored');
        if (stored.withoutChannel) metrics.count('EventWithoutChannel');
        log.info('deferred event stored', { ...stored });
        return DONE;
      case 'unavailable':
        log.warn('deferred event waits longer in the inbound queue', { ...stored });
        return retry;
      case 'unstorable': {
        metrics.count('EventQuarantined');
        log.warn('deferred event quarantined', { ...stored });
        const { deliveryId, reason } = stored;
        return quarantine({ ...request, deliveryId }, reason);
      }
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
