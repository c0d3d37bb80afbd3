/** The service's clock: it runs as the machine's does, but can be moved ahead. */
export type SandboxClock = {
  now(): Date;
  /** Moves the clock ahead by `ms` milliseconds. */
  advance(ms: number): void;
};

/** A clock that keeps an offset on the machine's clock. */
export const createClock = (): SandboxClock => {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms) => {
      offsetMs += ms;
    },
  };
};
