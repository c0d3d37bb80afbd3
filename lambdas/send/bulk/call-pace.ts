import type { Clock, Sleep } from '../../ports.ts';

/** A minimum time between the starts of calls in this process. */
export interface CallPace {
  /** Waits until a call may start. Slots are given in the order in which they were asked for. */
  waitForSlot(): Promise<void>;
  /**
   * Counts the start of an invocation as a call, so that an instance that has made no call lately does not start one at
   * once. The concurrent invocations share the stage's pace, and therefore keep it whichever instances they run in.
   */
  startInvocation(): void;
  /** The longest that a call can wait for its slot. */
  readonly longestWaitMs: number;
}

export interface CallPaceOptions {
  readonly intervalMs: number;
  /** The maximum number of calls that can wait for a slot at a time. */
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

  const waitForStart = async (): Promise<void> => {
    // A timer may end early. More than the interval is left only if the clock was set back, and is not waited for.
    for (let left = leftMs(); left > 0 && left <= intervalMs; left = leftMs()) await sleep(left);
    startedMs = nowMs();
  };

  return {
    longestWaitMs: maxConcurrentCalls * intervalMs,
    waitForSlot() {
      // After a failed wait too, which has taken no slot.
      latest = latest.catch(() => {}).then(waitForStart);
      return latest;
    },
    startInvocation() {
      startedMs = nowMs();
    },
  };
};
