import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 5;

/** Polls until there is a result; the test's own timeout is the limit. */
export const eventually = async <Result>(
  poll: () => Promise<Result | undefined> | Result | undefined,
): Promise<Result> => {
  for (;;) {
    const result = await poll();
    if (result !== undefined) return result;
    await pause(POLL_MS);
  }
};
