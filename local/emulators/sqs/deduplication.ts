import { createHash } from 'node:crypto';
import type { MessageToSend, QueueSettings, SentMessage } from './queue.ts';

const INTERVAL_MS = 5 * 60 * 1000;

/** The messages that a FIFO queue has accepted in the last five minutes. */
export interface Deduplication {
  /**
   * Returns the earlier message with the same deduplication ID. If there is none, stores and returns that of `send`.
   */
  once(message: MessageToSend, send: (deduplicationId: string) => SentMessage): SentMessage;
}

/**
 * Deduplicates the messages of a FIFO queue. An ID applies for five minutes after the first send, even if its message
 * has been received and deleted. With the scope `messageGroup`, the same ID in another group is another message.
 *
 * Sources: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html,
 * "MessageDeduplicationId", and
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
 */
export const createDeduplication = (scope: QueueSettings['deduplicationScope'], now: () => number): Deduplication => {
  /** In the order in which they expire. */
  const accepted = new Map<string, { readonly sent: SentMessage; readonly until: number }>();
  const forgetOld = (): void => {
    for (const [key, { until }] of accepted) {
      if (until > now()) return;
      accepted.delete(key);
    }
  };
  return {
    once(message, send) {
      forgetOld();
      const id = message.deduplicationId ?? sha256(message.body);
      const key = JSON.stringify(scope === 'messageGroup' ? [message.groupId, id] : [id]);
      const first = accepted.get(key);
      if (first) return first.sent;
      const sent = send(id);
      accepted.set(key, { sent, until: now() + INTERVAL_MS });
      return sent;
    },
  };
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
