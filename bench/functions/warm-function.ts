import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { BatchResult } from './function-process.ts';

/** A bundled function in a process of its own. */
export interface WarmFunction extends AsyncDisposable {
  /** Handles events, one after another. @throws Error if the function ends, or does not handle an event. */
  readonly handle: (events: readonly unknown[]) => Promise<BatchResult>;
}

/**
 * Starts a function. What it prints is discarded.
 *
 * @param codeFolder The absolute path of the folder of its bundle.
 * @param environment All variables of the process.
 * @param timeoutMs The function's timeout. A function that has too little time for its work does not start it.
 */
export const startWarmFunction = (
  codeFolder: string,
  environment: Readonly<Record<string, string>>,
  timeoutMs: number,
): WarmFunction => {
  const program = join(import.meta.dirname, 'function-process.ts');
  const child = fork(program, [join(codeFolder, 'index.js'), String(timeoutMs)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: environment,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    async handle(events) {
      const result = await new Promise<BatchResult>((resolve, reject) => {
        const fail = (): void => reject(new Error('The function ended.'));
        child.once('exit', fail).once('message', (message: BatchResult) => {
          child.off('exit', fail);
          resolve(message);
        });
        child.send([...events]);
      });
      if (result.errors > 0)
        throw new Error(`The function did not handle ${result.errors} of ${events.length} events.`);
      return result;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
};
