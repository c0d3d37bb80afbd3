import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';

/** In a package, the guard is JavaScript like this module. */
const GUARD = join(import.meta.dirname, `guard${extname(import.meta.filename)}`);

/** A program that ends with the run, even if the run is killed. */
export interface GuardedProcess extends AsyncDisposable {
  readonly isRunning: () => boolean;
  /** Returns what the program has written to standard error, which usually says why it ended. */
  readonly errorOutput: () => string;
  /** Pauses the program, which then acts like a service that does not respond, or resumes it. */
  readonly pause: (paused: boolean) => void;
}

/**
 * Starts a program under a guard. When this process has exited, the guard stops the program and removes the run's
 * folder. A third-party program does not watch its parent itself.
 */
export const startGuarded = (command: string, parameters: readonly string[], folder: string): GuardedProcess => {
  const guard = spawn(process.execPath, [GUARD, folder, command, ...parameters], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {},
    // In its own process group, so that Ctrl-C reaches only the run, which then stops everything in order.
    detached: true,
  });
  let isRunning = true;
  let output = '';
  guard.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => {
    guard.once('close', () => resolve()).once('error', () => resolve());
  }).then(() => {
    isRunning = false;
  });
  return {
    isRunning: () => isRunning,
    errorOutput: () => output.trim(),
    pause: (paused) => {
      guard.stdin.write(paused ? 'SIGSTOP\n' : 'SIGCONT\n');
    },
    async [Symbol.asyncDispose]() {
      guard.stdin.end();
      await ended;
    },
  };
};
