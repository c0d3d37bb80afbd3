import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 5;
const REMINDER_MS = 30_000;

/**
 * Polls until there is a result. The test's own timeout is the limit; every 30 seconds, what is waited for is printed,
 * because the error of a timeout names only the test or hook.
 */
export const eventually = async <Result>(
  poll: () => Promise<Result | undefined> | Result | undefined,
): Promise<Result> => {
  let reminderAt = Date.now() + REMINDER_MS;
  for (;;) {
    const result = await poll();
    if (result !== undefined) return result;
    if (Date.now() >= reminderAt) {
      console.warn(`Still waiting for a result of ${poll}`);
      reminderAt += REMINDER_MS;
    }
    await pause(POLL_MS);
  }
};
