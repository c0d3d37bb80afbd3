/** The service's clock: it runs as the machine's does, but can be moved ahead. */
export type SandboxClock = {
  now(): Date;
  /** Moves the clock ahead by `ms` milliseconds; may take until those that follow it have done so. */
  advance(ms: number): void | Promise<void>;
};

/**
 * A clock that keeps an offset on the machine's clock.
 *
 * @param keep Told of each new offset, so that a later clock can start from it.
 */
export const createClock = (startMs = 0, keep: (offsetMs: number) => void = () => undefined): SandboxClock => {
  let offsetMs = startMs;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms) => {
      offsetMs += ms;
      keep(offsetMs);
    },
  };
};
