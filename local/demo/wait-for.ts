import { setTimeout as pause } from 'node:timers/promises';
import { LocalError } from '../base/local-error.ts';

const TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/**
 * Polls until there is a result, for up to 30 seconds.
 *
 * @param what The expected event, for the error message.
 * @throws LocalError on timeout.
 */
export const waitFor = async <Result>(what: string, poll: () => Promise<Result | undefined>): Promise<Result> => {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const result = await poll();
    if (result !== undefined) return result;
    if (Date.now() > deadline) throw new LocalError(`Timed out after ${TIMEOUT_MS / 1000} seconds. Expected: ${what}.`);
    await pause(POLL_MS);
  }
};
