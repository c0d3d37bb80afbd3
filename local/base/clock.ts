import { LocalError } from './local-error.ts';

/** The clock of a local run, shared by the sandbox, the queues, the HTTP API, and the functions. */
export interface MovableClock {
  /** Returns the run's current time. */
  now(): Date;
  /** How far the run is ahead of the machine, in milliseconds. */
  readonly offsetMs: number;
  /** Moves the time forward. Resolves when all listeners have applied it. @throws LocalError if `ms` is negative. */
  advance(ms: number): Promise<void>;
  /** Calls `listener` with the new offset each time the clock moves. */
  onMove(listener: (offsetMs: number) => Promise<void>): void;
  /**
   * Makes `advance` stop at certain times, so that what is due then sees neither an earlier nor a later time.
   *
   * @param next returns the next such time in milliseconds since the epoch
   */
  stopAt(next: () => number): void;
}

export const createMovableClock = (): MovableClock => {
  const listeners: ((offsetMs: number) => Promise<void>)[] = [];
  const stops: (() => number)[] = [];
  let offsetMs = 0;
  const move = async (ms: number): Promise<void> => {
    offsetMs += ms;
    await Promise.all(listeners.map((listener) => listener(offsetMs)));
  };
  return {
    now: () => new Date(Date.now() + offsetMs),
    get offsetMs() {
      return offsetMs;
    },
    async advance(ms) {
      if (!Number.isFinite(ms) || ms < 0)
        throw new LocalError(`The clock only moves forward; it cannot move ${ms} ms.`);
      let remainingMs = ms;
      for (;;) {
        const untilStopMs = Math.min(...stops.map((next) => next())) - (Date.now() + offsetMs);
        const stepMs = Math.min(remainingMs, Math.max(0, untilStopMs));
        remainingMs -= stepMs;
        await move(stepMs);
        if (remainingMs <= 0) return;
      }
    },
    stopAt: (next) => {
      stops.push(next);
    },
    onMove: (listener) => {
      listeners.push(listener);
    },
  };
};

/**
 * The header in which the local Runtime API sends the clock's offset with each event, so that clock changes and
 * invocations stay in order. The Runtime API of AWS has no such header.
 */
export const CLOCK_OFFSET_HEADER = 'Parley-Clock-Offset-Ms';

/**
 * Replaces the process's `Date` with one that is ahead by an offset. Returns the function that sets the offset.
 *
 * Child processes use it, so that their code can use `Date` as usual. Timers and `performance.now()` are unaffected,
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
  // Dates created by native code, such as file times, must have the same constructor.
  RealDate.prototype.constructor = ShiftedDate;
  globalThis.Date = ShiftedDate;
  return (ms) => {
    offsetMs = ms;
  };
};
