/** Source: the documentation of the webhooks of today's consoles. */
const MAX_FAILURES = 100;
const WITHIN_MS = 10 * 60 * 1000;
const PAUSE_MS = 10 * 60 * 1000;

/** When a service that posts each event once posts nothing, because too many posts have failed. */
export interface PostingPause {
  countFailure(at: Date): void;
  /** The end of the current pause, or undefined if there is none. */
  until(now: Date): Date | undefined;
}

export const createPostingPause = (): PostingPause => {
  let failures: readonly number[] = [];
  let untilMs = 0;
  return {
    countFailure: (at) => {
      const atMs = at.getTime();
      failures = [...failures.filter((failedMs) => failedMs > atMs - WITHIN_MS), atMs];
      if (failures.length <= MAX_FAILURES) return;
      failures = [];
      untilMs = atMs + PAUSE_MS;
    },
    until: (now) => (now.getTime() < untilMs ? new Date(untilMs) : undefined),
  };
};
