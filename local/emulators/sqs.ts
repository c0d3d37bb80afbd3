import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ListeningServer } from '../listen-locally.ts';
import { LocalError } from '../local-error.ts';

const PROCESS = fileURLToPath(new URL('./sqs-process.ts', import.meta.url));

const ready = z.object({ port: z.int() });

/** The SQS emulator, in its own process on the run's clock. */
export interface SqsEmulator extends ListeningServer {
  /** Moves delays, visibility timeouts, and retention along with the run's clock. */
  readonly setClock: (offsetMs: number) => Promise<void>;
}

/** Starts fauxqs on a free port. @throws LocalError if it does not start. */
export const startSqs = async (): Promise<SqsEmulator> => {
  const child = fork(PROCESS, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
  const ended = once(child, 'exit');
  const [message] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
  const { data } = ready.safeParse(message);
  if (!data) throw new LocalError('The SQS emulator fauxqs did not start. Run "npm ci" and try again.');
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  };
  return {
    url: `http://127.0.0.1:${data.port}`,
    port: data.port,
    async setClock(offsetMs) {
      if (!child.connected) return;
      const acknowledged = once(child, 'message');
      child.send({ offsetMs });
      await Promise.race([acknowledged, ended]);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

/**
 * Returns the URL of the queue with an ARN.
 *
 * @param queueBaseUrl The queues' base URL, without a trailing slash.
 */
export const queueUrlOf = (queueArn: string, queueBaseUrl: string): string =>
  `${queueBaseUrl}/${queueArn.split(':').at(-1)}`;
