/** How long delivery pauses after a failed push, in milliseconds. */
export interface DeliveryBackoff {
  readonly minimumMs: number;
  readonly maximumMs: number;
}

/**
 * 100 ms to 60 s, the backoff of Google Cloud Pub/Sub.
 * Source: https://cloud.google.com/pubsub/docs/push#push_backoff
 */
export const PUBSUB_BACKOFF: DeliveryBackoff = { minimumMs: 100, maximumMs: 60_000 };

/** The backoff of one subscription: a failed push slows the whole subscription. */
export interface PushBackoff {
  /** Returns the current round, which a push records when it starts. */
  round(): number;
  /** Returns the pause after a failure, in milliseconds; undefined if its round has caused one already. */
  failed(round: number): number | undefined;
  acknowledged(): void;
}

export const createPushBackoff = ({ minimumMs, maximumMs }: DeliveryBackoff): PushBackoff => {
  let step = 0;
  let round = 0;
  return {
    round: () => round,
    failed: (failedRound) => {
      // Concurrent pushes fail together. Counting each of them would jump straight to the longest pause.
      if (failedRound !== round) return undefined;
      round += 1;
      const pauseMs = Math.min(minimumMs * 2 ** step, maximumMs);
      if (pauseMs < maximumMs) step += 1;
      return pauseMs;
    },
    // One step only, so that an event that always fails slows the subscription even if others succeed.
    acknowledged: () => {
      step = Math.max(0, step - 1);
    },
  };
};
