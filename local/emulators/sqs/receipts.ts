import type { Queue, ReceiptFault } from './queue.ts';
import { messageIdOf } from './receipt-handle.ts';
import type { StoredMessage, StoredMessages } from './stored-messages.ts';

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const MAX_VISIBILITY_MS = 12 * 60 * 60 * 1000;

export interface ReceiptsContext {
  readonly isFifo: boolean;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly onChange: () => void;
}

/** What the holder of a receipt handle may do with its message. */
export const createReceipts = (
  messages: StoredMessages,
  { isFifo, now, onChange }: ReceiptsContext,
): Pick<Queue, 'delete' | 'changeVisibility'> => {
  const find = (receiptHandle: string): StoredMessage | ReceiptFault => {
    const id = messageIdOf(receiptHandle);
    if (id === undefined) return 'malformed';
    const message = messages.find(id);
    if (message === undefined) return 'deleted';
    const isCurrent = message.receiptHandle === receiptHandle && (!isFifo || messages.isInFlight(message));
    return isCurrent ? message : 'expired';
  };

  return {
    delete(receiptHandle) {
      const found = find(receiptHandle);
      if (typeof found === 'object') {
        messages.remove(found.messageId);
        onChange();
        return undefined;
      }
      return found === 'malformed' || (found === 'expired' && isFifo) ? found : undefined;
    },

    changeVisibility(receiptHandle, seconds) {
      const found = find(receiptHandle);
      if (typeof found === 'string') return found;
      if (!messages.isInFlight(found)) return 'not-in-flight';
      const visibleAt = now() + seconds * 1000;
      if (visibleAt > (found.receivedAt ?? 0) + MAX_VISIBILITY_MS) return 'beyond-12-hours';
      found.visibleAt = visibleAt;
      onChange();
      return undefined;
    },
  };
};
