import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LocalError } from '../local-error.ts';
import type { Emulator } from './dynamodb.ts';

const PROCESS = fileURLToPath(new URL('./sqs-process.ts', import.meta.url));

const ready = z.object({ port: z.int() });

/** The SQS emulator in a process of its own, on the run's clock: delays and visibility time-outs move with it. */
export interface SqsEmulator extends Emulator {
  readonly setClock: (offsetMs: number) => Promise<void>;
}

/** Starts fauxqs on a free port. @throws LocalError when it does not start. */
export const startSqs = async (): Promise<SqsEmulator> => {
  const child = fork(PROCESS, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
  const ended = once(child, 'exit');
  const message = await Promise.race([once(child, 'message'), ended.then(() => [])]);
  const { data } = ready.safeParse(message[0]);
  if (!data) throw new LocalError('The SQS emulator fauxqs does not start; run "npm ci" again.');
  return {
    url: `http://127.0.0.1:${data.port}`,
    async setClock(offsetMs) {
      if (!child.connected) return;
      const acknowledged = once(child, 'message');
      child.send({ offsetMs });
      await Promise.race([acknowledged, ended]);
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
};
