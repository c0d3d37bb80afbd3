import type { PublishedMessage } from './published-message.ts';

/** Source: contract, "Limits": webhook message retention, 7 days. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Limits the acknowledged messages retained for a replay, to bound memory. Unacknowledged ones are always retained. */
const MAX_ACKNOWLEDGED = 10_000;
const MAX_ACKNOWLEDGED_BYTES = 64 * 1024 * 1024;

/** How many expired messages are kept for display. */
const MAX_EXPIRED = 1_000;

/** The messages of the last seven days, on the service's clock. */
export interface Retention {
  /** Neither acknowledged nor in flight, in the order of their next attempt. */
  readonly waiting: ReadonlySet<PublishedMessage>;
  readonly acknowledged: ReadonlySet<PublishedMessage>;
  /** Dropped without acknowledgment, oldest first. */
  readonly expired: readonly PublishedMessage[];
  /** Appends a message to those that wait, unless it has expired. */
  wait(message: PublishedMessage): void;
  /** Takes a waiting message for an attempt. Returns false if it has expired. */
  take(message: PublishedMessage): boolean;
  acknowledge(message: PublishedMessage): void;
  /** Drops a message that is not delivered again. */
  drop(message: PublishedMessage): void;
  /** Forgets a message that is no longer needed. */
  discard(message: PublishedMessage): void;
  isRetained(message: PublishedMessage): boolean;
  /** Drops the messages that are too old. */
  sweep(): void;
  /** Restores a message from a data file. */
  restore(message: PublishedMessage): void;
}

export interface RetentionOptions {
  readonly now: () => Date;
  /** Called when a message's state or number of attempts changed. */
  readonly onChange?: (message: PublishedMessage) => void;
  readonly onForget?: (message: PublishedMessage) => void;
  readonly onExpire?: (message: PublishedMessage) => void;
}

export const createRetention = ({ now, onChange, onForget, onExpire }: RetentionOptions): Retention => {
  // Sets keep insertion order.
  const waiting = new Set<PublishedMessage>();
  const acknowledged = new Set<PublishedMessage>();
  const expired: PublishedMessage[] = [];
  let acknowledgedBytes = 0;

  const isRetained = ({ publishedAt }: PublishedMessage) => now().getTime() - publishedAt.getTime() < RETENTION_MS;

  const expire = (message: PublishedMessage) => {
    message.state = 'expired';
    expired.push(message);
    onChange?.(message);
    onExpire?.(message);
    const forgotten = expired.length > MAX_EXPIRED ? expired.shift() : undefined;
    if (forgotten) onForget?.(forgotten);
  };

  const forget = (message: PublishedMessage) => {
    if (!acknowledged.delete(message)) return;
    acknowledgedBytes -= message.body.byteLength;
    onForget?.(message);
  };

  return {
    waiting,
    acknowledged,
    expired,
    isRetained,
    wait: (message) => {
      if (acknowledged.delete(message)) acknowledgedBytes -= message.body.byteLength;
      if (!isRetained(message)) return expire(message);
      message.state = 'waiting';
      waiting.add(message);
      onChange?.(message);
    },
    take: (message) => {
      waiting.delete(message);
      if (isRetained(message)) return true;
      expire(message);
      return false;
    },
    acknowledge: (message) => {
      message.state = 'acknowledged';
      acknowledged.add(message);
      acknowledgedBytes += message.body.byteLength;
      onChange?.(message);
      for (const oldest of acknowledged) {
        if (acknowledged.size <= MAX_ACKNOWLEDGED && acknowledgedBytes <= MAX_ACKNOWLEDGED_BYTES) break;
        forget(oldest);
      }
    },
    drop: (message) => {
      waiting.delete(message);
      expire(message);
    },
    discard: (message) => {
      waiting.delete(message);
      onForget?.(message);
    },
    restore: (message) => {
      if (message.state === 'waiting') waiting.add(message);
      else if (message.state === 'expired') expired.push(message);
      else {
        acknowledged.add(message);
        acknowledgedBytes += message.body.byteLength;
      }
    },
    sweep: () => {
      for (const message of acknowledged) if (!isRetained(message)) forget(message);
      for (const message of waiting) {
        if (isRetained(message)) continue;
        waiting.delete(message);
        expire(message);
      }
    },
  };
};
