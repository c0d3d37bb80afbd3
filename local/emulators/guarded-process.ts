import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const GUARD = fileURLToPath(new URL('./guard.ts', import.meta.url));

/** A program that ends with the run, however the run ends. */
export interface GuardedProcess {
  /** What the program wrote to its standard error, for the sentence that says why it ended. */
  readonly errorOutput: () => string;
  /** Settles when the program has ended. */
  readonly ended: Promise<void>;
  /** Stops the program where it is, as a service that no longer answers; or lets it go on. */
  readonly pause: (paused: boolean) => void;
  readonly close: () => Promise<void>;
}

/**
 * Starts a program under a guard that ends it, and removes the run's folder, once this process is gone: a program that
 * is not ours cannot be taught to watch for that itself.
 */
export const startGuarded = (command: string, parameters: readonly string[], folder: string): GuardedProcess => {
  const guard: ChildProcess = spawn(process.execPath, [GUARD, folder, command, ...parameters], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {},
    // Ctrl-C reaches the run alone, which then ends what it started in order.
    detached: true,
  });
  let output = '';
  guard.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => {
    guard.once('close', () => resolve());
    guard.once('error', () => resolve());
  });
  return {
    errorOutput: () => output.trim(),
    ended,
    pause: (paused) => {
      guard.stdin?.write(paused ? 'SIGSTOP\n' : 'SIGCONT\n');
    },
    async close() {
      guard.stdin?.end();
      await ended;
    },
  };
};
