import { LocalError } from './local-error.ts';

/** The clock of a local run, which the sandbox, the queues, the HTTP API, and the functions share. */
export interface MovableClock {
  /** Returns the run's current time. */
  now(): Date;
  /** How far the run is ahead of the machine, in milliseconds. */
  readonly offsetMs: number;
  /** Moves the time forward; resolves when every listener has applied the move. @throws LocalError for a negative move. */
  advance(ms: number): Promise<void>;
  /** Calls `listener` with the new offset whenever the clock moves. */
  onMove(listener: (offsetMs: number) => Promise<void>): void;
}

export const createMovableClock = (): MovableClock => {
  const listeners: ((offsetMs: number) => Promise<void>)[] = [];
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    get offsetMs() {
      return offsetMs;
    },
    async advance(ms) {
      if (!Number.isFinite(ms) || ms < 0)
        throw new LocalError(`The clock only moves forward; it cannot move ${ms} ms.`);
      offsetMs += ms;
      await Promise.all(listeners.map((listener) => listener(offsetMs)));
    },
    onMove: (listener) => {
      listeners.push(listener);
    },
  };
};

/**
 * The header with which the Runtime API passes the clock's offset along with each event, so that moves of the clock are
 * ordered with invocations. Lambda's own Runtime API has no such header.
 */
export const CLOCK_OFFSET_HEADER = 'Parley-Clock-Offset-Ms';

/**
 * Replaces the process's `Date` with one that is ahead by an offset; returns the function that sets the offset.
 *
 * Child processes use it, so that the code in them reads `Date` as usual. Timers and `performance.now()` keep real time,
 * because they measure durations.
 */
export const installShiftedClock = (): ((offsetMs: number) => void) => {
  const RealDate = Date;
  let offsetMs = 0;
  const now = (): number => RealDate.now() + offsetMs;
  const ShiftedDate = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
  // Dates that native code creates, such as a file's times, must have the same constructor.
  RealDate.prototype.constructor = ShiftedDate;
  globalThis.Date = ShiftedDate;
  return (ms) => {
    offsetMs = ms;
  };
};
