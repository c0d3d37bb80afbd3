/** A limit of concurrent calls that adapts to the service. */
export interface CallLimit {
  /** Waits until a call may start. Returns the function that ends it, which may be called more than once. */
  acquire(): Promise<() => void>;
  /** Lets one more call run at a time, up to the maximum. */
  widen(): void;
  /** Lets one call run at a time. Calls that have started continue. */
  narrow(): void;
}

/**
 * Creates a limit that starts with one call at a time, so that a service or an account that fails costs one call and
 * not a batch of them.
 *
 * @param max the most calls at a time
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
