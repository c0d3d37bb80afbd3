import type { CarrierMessage } from './carrier-message.ts';

/** Contract, "Limits": webhook message retention, 7 days. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** What is kept for a replay after it arrived, so that memory has a bound; what did not arrive is always kept. */
const MAX_ACKNOWLEDGED = 10_000;
const MAX_ACKNOWLEDGED_BYTES = 64 * 1024 * 1024;

/** How many of those that expired are remembered. */
const MAX_EXPIRED = 1_000;

/** The events of the last seven days, on the service's clock. */
export type Retention = {
  /** Not acknowledged and not on their way, in the order of their next try. */
  readonly waiting: ReadonlySet<CarrierMessage>;
  readonly acknowledged: ReadonlySet<CarrierMessage>;
  /** Dropped before they arrived, oldest first. */
  readonly expired: readonly CarrierMessage[];
  /** To the end of those that wait; or it has expired. */
  wait(message: CarrierMessage): void;
  /** Takes a message that waits to be tried; false when it has expired. */
  take(message: CarrierMessage): boolean;
  acknowledge(message: CarrierMessage): void;
  /** Forgets a message that is of no further use. */
  discard(message: CarrierMessage): void;
  isRetained(message: CarrierMessage): boolean;
  /** Drops what is too old. */
  sweep(): void;
  /** Puts back what a data file kept. */
  restore(message: CarrierMessage): void;
};

export type RetentionOptions = {
  now: () => Date;
  /** Told of each message whose state or attempts changed. */
  onChange?: (message: CarrierMessage) => void;
  onForget?: (message: CarrierMessage) => void;
  onExpire?: (message: CarrierMessage) => void;
};

export const createRetention = ({ now, onChange, onForget, onExpire }: RetentionOptions): Retention => {
  // Sets keep the order in which messages came.
  const waiting = new Set<CarrierMessage>();
  const acknowledged = new Set<CarrierMessage>();
  const expired: CarrierMessage[] = [];
  let acknowledgedBytes = 0;

  const isRetained = ({ publishedAt }: CarrierMessage) => now().getTime() - publishedAt.getTime() < RETENTION_MS;

  const expire = (message: CarrierMessage) => {
    message.state = 'expired';
    expired.push(message);
    onChange?.(message);
    onExpire?.(message);
    const forgotten = expired.length > MAX_EXPIRED ? expired.shift() : undefined;
    if (forgotten) onForget?.(forgotten);
  };

  const forget = (message: CarrierMessage) => {
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
