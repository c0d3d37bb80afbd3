import { randomUUID } from 'node:crypto';
import { createDeduplication } from './deduplication.ts';
import type { MessageToSend, Queue, QueueSettings, ReceivedMessage, SentMessage } from './queue.ts';
import { createQueueMeasures } from './queue-measures.ts';
import { createReceiptHandle } from './receipt-handle.ts';
import { createReceipts } from './receipts.ts';
import { createStoredMessages, type StoredMessage } from './stored-messages.ts';

/** A queue that exchanges messages with others: as their dead-letter queue, or in a redrive. */
export interface DeadLetteringQueue extends Queue {
  adopt(message: StoredMessage, sourceArn: string): void;
  /** Adds a message of a dead-letter queue as a new one. */
  adoptRedriven(message: StoredMessage): void;
  oldestVisible(): StoredMessage | undefined;
  remove(message: StoredMessage): void;
}

export interface QueueContext {
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly deadLetterQueue: () => DeadLetteringQueue | undefined;
  /** Called whenever more messages may be available. */
  readonly onChange: () => void;
  /** The maximum number of messages in flight. @default 120,000 */
  readonly inFlightLimit?: number | undefined;
  /** How many messages a FIFO queue looks through for available message groups. @default 120,000 */
  readonly lookahead?: number | undefined;
  /** Creates the ids of messages and receives. @default random UUIDs */
  readonly newId?: (() => string) | undefined;
}

/**
 * Applies to both kinds of queues. Sources:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html and
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-fifo.html
 */
const IN_FLIGHT_LIMIT = 120_000;
/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_PurgeQueue.html */
const PURGE_INTERVAL_MS = 60_000;

/**
 * Creates an in-memory queue that behaves as the SQS documentation describes.
 *
 * - Each receive counts, even if its visibility timeout is 0 or is later set to 0. A message that was received
 *   `maxReceiveCount` times moves to the dead-letter queue at the next receive, with its ID, body, and attributes.
 * - In a FIFO dead-letter queue, the moved message's deduplication ID is its message ID.
 * - Retention counts from the first enqueue. In a FIFO dead-letter queue, it counts from the move.
 * - With too many messages in flight, a standard queue returns an error, and a FIFO queue returns nothing.
 * - In a FIFO queue, a receipt handle expires with the visibility timeout. In a standard queue, it deletes the message
 *   until the message is received again; after that, the deletion succeeds without effect.
 *
 * Sources: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
 * https://repost.aws/knowledge-center/sqs-receipt-handle-error
 */
export const createQueue = (settings: QueueSettings, context: QueueContext): DeadLetteringQueue => {
  const { now, deadLetterQueue, onChange, inFlightLimit = IN_FLIGHT_LIMIT, newId = randomUUID } = context;
  const { isFifo, redrive } = settings;
  const messages = createStoredMessages({
    isFifo,
    retentionSeconds: settings.retentionSeconds,
    now,
    lookahead: context.lookahead,
  });
  const deduplication = createDeduplication(settings.deduplicationScope, now);
  let sequence = 0;
  const nextSequenceNumber = (): string => {
    sequence += 1;
    return String(sequence).padStart(20, '0');
  };
  let lastPurgeAt = Number.NEGATIVE_INFINITY;

  const store = (message: MessageToSend, sequenceNumber?: string): SentMessage => {
    const { delaySeconds = settings.delaySeconds, ...content } = message;
    const sent = { messageId: newId(), sequenceNumber };
    const times = { sentAt: now(), enqueuedAt: now(), visibleAt: now() + delaySeconds * 1000 };
    messages.add({ ...sent, ...content, ...times, receiveCount: 0 });
    onChange();
    return sent;
  };

  const moveIfExhausted = (message: StoredMessage): boolean => {
    const target = redrive && message.receiveCount >= redrive.maxReceiveCount ? deadLetterQueue() : undefined;
    if (!target) return false;
    messages.remove(message.messageId);
    target.adopt(message, settings.arn);
    return true;
  };

  return {
    settings,
    createdAt: now(),

    send: (message) =>
      isFifo
        ? deduplication.once(message, (deduplicationId) => store({ ...message, deduplicationId }, nextSequenceNumber()))
        : store(message),

    receive({ max, visibilityTimeoutSeconds = settings.visibilityTimeoutSeconds }) {
      const inFlight = messages.all().filter(messages.isInFlight).length;
      if (!isFifo && inFlight >= inFlightLimit) return { kind: 'over-limit' };
      const limit = Math.min(max, inFlightLimit - inFlight);
      const received: ReceivedMessage[] = [];
      for (const message of messages.receivable()) {
        if (received.length >= limit) break;
        if (moveIfExhausted(message)) continue;
        const receipt = {
          receiptHandle: createReceiptHandle(message.messageId, newId()),
          receiveCount: message.receiveCount + 1,
          firstReceivedAt: message.firstReceivedAt ?? now(),
          receivedAt: now(),
          visibleAt: now() + visibilityTimeoutSeconds * 1000,
        };
        received.push({ ...Object.assign(message, receipt) });
      }
      return { kind: 'received', messages: received };
    },

    ...createReceipts(messages, { isFifo, now, onChange }),

    purge() {
      if (now() < lastPurgeAt + PURGE_INTERVAL_MS) return false;
      lastPurgeAt = now();
      messages.clear();
      return true;
    },

    ...createQueueMeasures(settings.name, messages),

    adopt(message, deadLetterQueueSourceArn) {
      const enqueuedAt = isFifo ? now() : message.enqueuedAt;
      const unreceived = { visibleAt: now(), receiptHandle: undefined };
      const fifo = isFifo ? { deduplicationId: message.messageId } : {};
      messages.add({ ...message, ...unreceived, ...fifo, deadLetterQueueSourceArn, enqueuedAt });
      onChange();
    },

    adoptRedriven({ body, attributes, groupId, deduplicationId }) {
      store({ body, attributes, groupId, deduplicationId }, isFifo ? nextSequenceNumber() : undefined);
    },

    oldestVisible: () => messages.receivable()[0],

    remove({ messageId }) {
      messages.remove(messageId);
    },
  };
};
