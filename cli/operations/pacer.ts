import { setTimeout as pause } from 'node:timers/promises';

/** Limits how much read capacity is used per second. */
export interface Pacer {
  /** Waits until the capacity used so far is within the rate. Rejects if it is aborted meanwhile. */
  waitForTurn(stop?: AbortSignal): Promise<void>;
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

/** How long a throttled table is left alone. */
const THROTTLED_MS = 1_000;

/** Creates a pacer. It pays for a call afterward, because only DynamoDB's answer says what the call has used. */
export const createPacer = ({ unitsPerSecond, nowMs, sleep = pauseFor }: PacerOptions): Pacer => {
  let used = 0;
  let freeAtMs = nowMs();
  return {
    async waitForTurn(stop) {
      stop?.throwIfAborted();
      const waitMs = freeAtMs - nowMs();
      if (waitMs > 0) await sleep(waitMs, stop);
    },
    use(units) {
      used += units;
      // An idle second is not made up for, so that the rate is never exceeded.
      freeAtMs = Math.max(freeAtMs, nowMs()) + (1_000 * units) / unitsPerSecond;
    },
    slowDown() {
      freeAtMs = Math.max(freeAtMs, nowMs()) + THROTTLED_MS;
    },
    used: () => used,
  };
};

const pauseFor = (ms: number, signal?: AbortSignal): Promise<void> => pause(ms, undefined, { signal });
