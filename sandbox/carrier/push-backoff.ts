/** How long the carrier waits after failed pushes, in milliseconds. */
export type CarrierBackoff = { minimumMs: number; maximumMs: number };

/**
 * 100 ms to 60 s, as Google Cloud Pub/Sub does.
 * Source: https://cloud.google.com/pubsub/docs/push#push_backoff
 */
export const PUBSUB_BACKOFF: CarrierBackoff = { minimumMs: 100, maximumMs: 60_000 };

/** The backoff of one subscription: a failed push slows all of it. */
export type PushBackoff = {
  /** To be noted by a push when it starts. */
  round(): number;
  /** The pause that a failure brings in milliseconds, or undefined when its round has brought one already. */
  failed(round: number): number | undefined;
  acknowledged(): void;
};

export const createPushBackoff = ({ minimumMs, maximumMs }: CarrierBackoff): PushBackoff => {
  let step = 0;
  let round = 0;
  return {
    round: () => round,
    failed: (failedRound) => {
      // Pushes that ran side by side fail together; counted one by one they would leap to the longest pause at once.
      if (failedRound !== round) return undefined;
      round += 1;
      const pauseMs = Math.min(minimumMs * 2 ** step, maximumMs);
      if (pauseMs < maximumMs) step += 1;
      return pauseMs;
    },
    // One step back only, so that an event which always fails slows the subscription even among others that succeed.
    acknowledged: () => {
      step = Math.max(0, step - 1);
    },
  };
};
