import type { ReceivedMessage } from './queue.ts';

/** A message in a queue. */
export interface StoredMessage extends Omit<ReceivedMessage, 'receiptHandle' | 'firstReceivedAt'> {
  /** When the retention period starts. */
  readonly enqueuedAt: number;
  /** When the delay or the visibility timeout ends. */
  visibleAt: number;
  receiveCount: number;
  /** Of the last receive. */
  receiptHandle?: string | undefined;
  receivedAt?: number;
  firstReceivedAt?: number;
}

/** The messages of a queue, in the order of their arrival. */
export interface StoredMessages {
  add(message: StoredMessage): void;
  find(messageId: string): StoredMessage | undefined;
  remove(messageId: string): void;
  clear(): void;
  /** Returns the messages that can be received now, in the order in which SQS returns them. */
  receivable(): readonly StoredMessage[];
  /** Returns every message within its retention period. */
  all(): readonly StoredMessage[];
  isVisible(message: StoredMessage): boolean;
  /** Whether a consumer has received the message and its visibility timeout has not ended. */
  isInFlight(message: StoredMessage): boolean;
}

/**
 * How many messages a FIFO queue looks through for available message groups. Messages that are in flight, or wait
 * for one of their group, count. A large backlog of one group therefore hides the messages of later groups.
 *
 * Source:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/avoid-backlog-with-the-same-message-group-id.html
 */
const FIFO_LOOKAHEAD = 120_000;

export interface StoredMessagesOptions {
  readonly isFifo: boolean;
  readonly retentionSeconds: number;
  readonly now: () => number;
  /** @default 120,000 */
  readonly lookahead?: number | undefined;
}

/**
 * Creates the in-memory messages of a queue.
 *
 * A FIFO queue offers the messages of a group in order, up to the first that is in flight or delayed. SQS does so,
 * although its documentation says that a group waits while any of its messages is in flight. The order is the same.
 *
 * Sources:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html and
 * the recorded facts in test/contract/recorded/queue-facts.ts
 */
export const createStoredMessages = (options: StoredMessagesOptions): StoredMessages => {
  const { isFifo, now, lookahead = FIFO_LOOKAHEAD } = options;
  const retentionMs = options.retentionSeconds * 1000;
  const messages = new Map<string, StoredMessage>();
  let firstExpiryAt = Number.POSITIVE_INFINITY;

  const dropExpired = (): void => {
    if (now() < firstExpiryAt) return;
    firstExpiryAt = Number.POSITIVE_INFINITY;
    for (const [id, { enqueuedAt }] of messages) {
      if (enqueuedAt + retentionMs <= now()) messages.delete(id);
      else firstExpiryAt = Math.min(firstExpiryAt, enqueuedAt + retentionMs);
    }
  };
  const isVisible = ({ visibleAt }: StoredMessage): boolean => visibleAt <= now();
  const isInFlight = (message: StoredMessage): boolean => message.receiptHandle !== undefined && !isVisible(message);

  return {
    isVisible,
    isInFlight,
    add(message) {
      messages.set(message.messageId, message);
      firstExpiryAt = Math.min(firstExpiryAt, message.enqueuedAt + retentionMs);
    },
    find(messageId) {
      dropExpired();
      return messages.get(messageId);
    },
    remove: (messageId) => {
      messages.delete(messageId);
    },
    clear: () => messages.clear(),
    receivable() {
      dropExpired();
      const arrived = [...messages.values()];
      if (!isFifo) return arrived.filter(isVisible);
      const groups = Map.groupBy(arrived.slice(0, lookahead), ({ groupId }) => groupId);
      return [...groups.values()].flatMap((group) => untilFirst(group, (message) => !isVisible(message)));
    },
    all() {
      dropExpired();
      return [...messages.values()];
    },
  };
};

/** Returns what precedes the first element that matches. */
const untilFirst = <Element>(elements: readonly Element[], matches: (element: Element) => boolean) => {
  const index = elements.findIndex(matches);
  return index === -1 ? elements : elements.slice(0, index);
};
