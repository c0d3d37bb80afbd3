import { constants } from 'node:os';

/** A request to stop a run. */
export interface Shutdown {
  /** Aborted when the run should stop. */
  readonly signal: AbortSignal;
  readonly requested: Promise<void>;
  /** The exit code of a run that was interrupted while it started, as shells compute it: 130 for Ctrl-C. */
  readonly exitCode: () => number;
}

const PARENT_POLL_MS = 250;

/**
 * Waits for the end of a run: for Ctrl-C, a signal, or the exit of npm.
 *
 * npm sends SIGTERM only to the shell that it started, which exits without forwarding the signal. So a run started by
 * npm watches its parent process. Any other run does not, so that it can continue in the background.
 */
export const listenForShutdown = (environment: NodeJS.ProcessEnv): Shutdown => {
  const controller = new AbortController();
  let received: NodeJS.Signals = 'SIGTERM';
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!controller.signal.aborted) received = name;
      controller.abort();
    });
  }
  if (environment.npm_lifecycle_event !== undefined) watchParent(() => controller.abort());
  return { signal: controller.signal, requested, exitCode: () => 128 + constants.signals[received] };
};

const watchParent = (onExit: () => void): void => {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onExit();
  }, PARENT_POLL_MS);
  timer.unref();
};
