import { LocalError } from '../local-error.ts';

/** The one clock of a local run: the sandbox, the queues, the HTTP API and the functions all tell its time. */
export interface MovableClock {
  /** The time of this run. */
  now(): Date;
  /** How far this run is ahead of the machine, in milliseconds. */
  readonly offsetMs: number;
  /** Moves the time forward; resolves once all that follows happens at the new time. @throws LocalError for a move back. */
  advance(ms: number): Promise<void>;
  /** Calls `listener` with each new offset; a move is done when every listener has resolved. */
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
        throw new LocalError(`The clock moves forward only; it cannot move by ${ms} ms.`);
      offsetMs += ms;
      await Promise.all(listeners.map((listener) => listener(offsetMs)));
    },
    onMove: (listener) => {
      listeners.push(listener);
    },
  };
};
