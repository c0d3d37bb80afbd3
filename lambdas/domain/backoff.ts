const FIRST_MS = 1_000;
const LONGEST_MS = 15 * 60 * 1000;

/**
 * How long a request waits before it is tried again: twice as long each time, up to 15 minutes, of which the second half
 * is left to chance so that requests that failed together do not return together.
 *
 * @param attempt the attempt that failed, from 1
 * @param fraction chance, from 0 to less than 1
 */
export const backoffMs = (attempt: number, fraction: number): number => {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full / 2 + (full / 2) * fraction);
};
