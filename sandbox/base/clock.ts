/** The service's clock: the machine's clock, which can be moved forward. */
export interface SandboxClock {
  now(): Date;
  /** Moves the clock forward by `ms` milliseconds, and resolves once its followers use the new time. */
  advance(ms: number): void | Promise<void>;
}

/**
 * Creates a clock with an offset to the machine's clock.
 *
 * @param save called with each new offset, so that a later clock can start with it
 */
export const createClock = (startMs = 0, save: (offsetMs: number) => void = () => undefined): SandboxClock => {
  let offsetMs = startMs;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms) => {
      offsetMs += ms;
      save(offsetMs);
    },
  };
};
