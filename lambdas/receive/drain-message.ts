import type { SQSRecord } from 'aws-lambda';
import { decodePost } from '../domain/verified-post.ts';
import type { InboundQueue, Log, Metrics } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import type { StoreEvent } from './store-event.ts';

export interface DrainMessagePorts {
  readonly storeEvent: StoreEvent;
  readonly inboundQueue: InboundQueue;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Takes a post from the inbound queue, where it waited for the table or was brought back from quarantine, through the
 * same code as the webhook's.
 */
export const createDrainMessage =
  ({ storeEvent, inboundQueue, log, metrics }: DrainMessagePorts) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const post = decodePost(message.body);
    if (post === undefined) {
      // Somebody else's message: the queue's own redrive policy takes it, as it is, to the dead-letter queue.
      log.error('no post of ours stands in this message', { messageId: message.messageId });
      return { kind: 'again' };
    }
    const stored = await storeEvent(post);
    switch (stored.kind) {
      case 'stored':
        metrics.count('EventStored');
        log.info('deferred event stored', { ...stored });
        return { kind: 'done' };
      case 'unreachable':
        log.warn('deferred event waits on: the table is out of reach', { ...stored });
        return { kind: 'again' };
      case 'unstorable': {
        metrics.count('EventQuarantined');
        log.warn('deferred event kept aside for a person', { ...stored });
        const kept = await inboundQueue.quarantine(post, stored.reason);
        return kept.kind === 'written' ? { kind: 'done' } : { kind: 'again' };
      }
    }
  };
