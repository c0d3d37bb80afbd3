/** Returns a function that runs `load` after a delay: once for any number of calls, and never twice at a time. */
export const coalesce = (load: () => Promise<void>, delayMs: number): (() => void) => {
  let isScheduled = false;
  let running = Promise.resolve();
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    const delay = new Promise((resolve) => setTimeout(resolve, delayMs));
    running = Promise.allSettled([running, delay]).then(() => {
      isScheduled = false;
      return load();
    });
  };
};
