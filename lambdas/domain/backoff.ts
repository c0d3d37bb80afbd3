const FIRST_MS = 1_000;
const MOST_JITTER_MS = 30_000;

/**
 * The longest that a request waits before it is looked at again, unless the chat service asks for more.
 *
 * SQS hands a message out 1,000 times before it is taken for dead: at 15 minutes that is ten days.
 */
export const LONGEST_WAIT_MS = 15 * 60 * 1000;

/**
 * How long a request waits before it is tried again: twice as long each time, up to 15 minutes. Some of it is left to
 * chance, so that requests that failed together do not return together: half, but no more than 30 seconds, since a mean
 * wait much below 15 minutes would use up the queue's 1,000 receives in fewer than ten days.
 *
 * @param attempt the attempt that failed, from 1
 * @param fraction chance, from 0 to less than 1
 */
export const backoffMs = (attempt: number, fraction: number): number => {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  const jitter = Math.min(full / 2, MOST_JITTER_MS);
  return Math.round(full - jitter + jitter * fraction);
};
