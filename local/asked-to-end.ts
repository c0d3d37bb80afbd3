/** How often a run that npm started looks whether npm is still there. */
const LOOK_INTERVAL_MS = 250;

/**
 * Resolves once the person or program that started this process wants it to end: Ctrl-C, a signal, or its starter gone.
 *
 * npm passes a SIGTERM on to the shell between, which ends without passing it on: the run would go on with nobody to
 * end it. Only a run that npm started looks for that, so that one that was sent to the background by hand stays.
 */
export const askedToEnd = (environment: NodeJS.ProcessEnv = process.env): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    if (environment.npm_lifecycle_event === undefined) return;
    const starter = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === starter) return;
      clearInterval(timer);
      resolve();
    }, LOOK_INTERVAL_MS);
    timer.unref();
  });
