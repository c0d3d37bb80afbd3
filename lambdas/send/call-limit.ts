/** A limit on concurrent calls that adapts to the service. */
export interface CallLimit {
  /** Waits until a call may start. Returns a function that marks its end and may be called more than once. */
  acquire(): Promise<() => void>;
  /** Allows one more concurrent call, up to the maximum. */
  widen(): void;
  /** Allows only one call at a time. Calls that have started continue. */
  narrow(): void;
}

/**
 * Creates a limit that starts with one call at a time, so that a failing service or account costs one call instead of a
 * batch of calls.
 *
 * @param max the maximum number of concurrent calls
 */
export const createCallLimit = (max: number): CallLimit => {
  let limit = 1;
  let running = 0;
  const waiting: (() => void)[] = [];

  const startWaiting = () => {
    while (running < limit) {
      const start = waiting.shift();
      if (start === undefined) return;
      running += 1;
      start();
    }
  };

  return {
    acquire() {
      const { promise, resolve } = Promise.withResolvers<() => void>();
      let isEnded = false;
      const end = () => {
        if (isEnded) return;
        isEnded = true;
        running -= 1;
        startWaiting();
      };
      waiting.push(() => resolve(end));
      startWaiting();
      return promise;
    },
    widen() {
      limit = Math.min(max, limit + 1);
      startWaiting();
    },
    narrow() {
      limit = 1;
    },
  };
};
