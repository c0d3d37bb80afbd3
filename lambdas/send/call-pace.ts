import type { Clock, Sleep } from '../ports.ts';

/** A minimum time between the starts of calls in this process. */
export interface CallPace {
  /** Waits until a call may start. Calls start in the order in which they began to wait. */
  wait(): Promise<void>;
  /**
   * Counts the start of an invocation as a call, so that an instance that has made no call lately does not start one at
   * once. The concurrent invocations share the stage's pace, and therefore keep it whichever instances they run in.
   */
  startInvocation(): void;
  /** The longest possible wait. */
  readonly longestWaitMs: number;
}

export interface CallPaceOptions {
  readonly intervalMs: number;
  /** The maximum number of calls that can wait at a time. */
  readonly maxConcurrentCalls: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** Creates a pace of one call per interval. It needs no state outside the process. */
export const createCallPace = ({ intervalMs, maxConcurrentCalls, clock, sleep }: CallPaceOptions): CallPace => {
  let startedMs = Number.NEGATIVE_INFINITY;
  let latest = Promise.resolve();
  const nowMs = () => Date.parse(clock.now());
  const leftMs = () => startedMs + intervalMs - nowMs();

  const waitForInterval = async (): Promise<void> => {
    // A timer may end early. If more than the interval is left, the clock was set back, and there is no wait.
    for (let left = leftMs(); left > 0 && left <= intervalMs; left = leftMs()) await sleep(left);
    startedMs = nowMs();
  };

  return {
    longestWaitMs: maxConcurrentCalls * intervalMs,
    wait() {
      latest = latest.then(waitForInterval);
      return latest;
    },
    startInvocation() {
      startedMs = nowMs();
    },
  };
};
