import { setTimeout as pause } from 'node:timers/promises';

/** Limits the read capacity used per second. */
export interface Pacer {
  /** Waits until the capacity used so far is within the rate. Rejects if aborted. */
  waitForSlot(stop?: AbortSignal): Promise<void>;
  /** Adds the capacity that a call has used. */
  use(units: number): void;
  /** Waits longer before the next call, because the table is throttled. */
  slowDown(): void;
  /** Returns the capacity used so far. */
  used(): number;
}

export interface PacerOptions {
  readonly unitsPerSecond: number;
  readonly nowMs: () => number;
  /** @default waits */
  readonly sleep?: (ms: number, stop?: AbortSignal) => Promise<void>;
}

/** Pause after the table is throttled. */
const THROTTLED_MS = 1_000;

/** Creates a pacer. It counts a call afterward, because only DynamoDB's response says how much the call used. */
export const createPacer = ({ unitsPerSecond, nowMs, sleep = pauseFor }: PacerOptions): Pacer => {
  let used = 0;
  let freeAtMs = nowMs();
  return {
    async waitForSlot(stop) {
      stop?.throwIfAborted();
      const waitMs = freeAtMs - nowMs();
      if (waitMs > 0) await sleep(waitMs, stop);
    },
    use(units) {
      used += units;
      // Idle time does not add up to a burst, so the rate is never exceeded.
      freeAtMs = Math.max(freeAtMs, nowMs()) + (1_000 * units) / unitsPerSecond;
    },
    slowDown() {
      freeAtMs = Math.max(freeAtMs, nowMs()) + THROTTLED_MS;
    },
    used: () => used,
  };
};

const pauseFor = (ms: number, signal?: AbortSignal): Promise<void> => pause(ms, undefined, { signal });
