import type { SQSRecord } from 'aws-lambda';
import { backoffMs } from '../domain/backoff.ts';
import { toInstant } from '../domain/instant.ts';
import { decodePost, type VerifiedPost } from '../domain/verified-post.ts';
import type { InboundQueue, Log, Metrics, Randomness } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import type { StoreEvent } from './store-event.ts';

export interface DrainMessagePorts {
  readonly storeEvent: StoreEvent;
  readonly inboundQueue: InboundQueue;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Takes a post from the inbound queue, where it waited for the table or was brought back from quarantine, through the
 * same code as the webhook's.
 */
export const createDrainMessage =
  ({ storeEvent, inboundQueue, randomness, log, metrics }: DrainMessagePorts) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const post = decodePost(message.body);
    if (post === undefined) {
      log.error('no post of ours stands in this message', { messageId: message.messageId });
      return keepAside(inboundQueue, foreignPost(message), 'No post of the webhook stands in this queue message.');
    }
    const stored = await storeEvent(post);
    switch (stored.kind) {
      case 'stored':
        metrics.count('EventStored');
        if (stored.withoutChannel) metrics.count('EventWithoutChannel');
        log.info('deferred event stored', { ...stored });
        return { kind: 'done' };
      case 'unreachable':
        log.warn('deferred event waits on: the table is out of reach', { ...stored });
        return { kind: 'again', afterMs: waitMs(message, randomness) };
      case 'unstorable':
        metrics.count('EventQuarantined');
        log.warn('deferred event kept aside for a person', { ...stored });
        return keepAside(
          inboundQueue,
          { ...post, carrierMessageId: stored.carrierMessageId ?? post.carrierMessageId },
          stored.reason,
        );
    }
  };

const keepAside = async (queue: InboundQueue, post: VerifiedPost, reason: string): Promise<MessageResult> =>
  (await queue.quarantine(post, reason)).kind === 'written' ? { kind: 'done' } : { kind: 'again' };

/** Somebody else's message, as a person can read it. */
const foreignPost = ({ body, attributes }: SQSRecord): VerifiedPost => ({
  rawBody: Buffer.from(body),
  receivedAt: toInstant(new Date(Number(attributes.SentTimestamp))),
});

/** After a short outage the window of a user who wrote meanwhile must not open much later than the table is back. */
const LONGEST_WAIT_MS = 60_000;

const waitMs = ({ attributes }: SQSRecord, randomness: Randomness): number =>
  Math.min(LONGEST_WAIT_MS, backoffMs(Number(attributes.ApproximateReceiveCount) || 1, randomness.fraction()));
