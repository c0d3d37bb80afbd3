import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A local run in a process of its own. */
export interface ConsoleRun extends AsyncDisposable {
  /** The URL of the sandbox, which serves the console. */
  readonly url: string;
}

export const startRun = async (): Promise<ConsoleRun> => {
  const child = fork(fileURLToPath(new URL('run.ts', import.meta.url)));
  const exited = once(child, 'exit');
  const started = once(child, 'message').then(([message]) => Object(message).url);
  const url: unknown = await Promise.race([started, exited]);
  if (typeof url !== 'string') throw new Error('The local run did not start.');
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
};
