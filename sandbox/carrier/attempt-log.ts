import type { DeliveryAttempt } from './carrier-message.ts';

/** How many attempts are remembered. */
const MAX_ATTEMPTS = 20_000;

/** The latest attempts that have ended, in that order. */
export type AttemptLog = { add(attempt: DeliveryAttempt): void; latest(): readonly DeliveryAttempt[] };

export const createAttemptLog = (kept: readonly DeliveryAttempt[] = []): AttemptLog => {
  let attempts = [...kept];
  return {
    add: (attempt) => {
      attempts.push(attempt);
      // Twice the bound at most, so that shortening costs next to nothing per attempt.
      if (attempts.length > 2 * MAX_ATTEMPTS) attempts = attempts.slice(-MAX_ATTEMPTS);
    },
    latest: () => attempts.slice(-MAX_ATTEMPTS),
  };
};

/** Why an attempt got no answer. */
export const noAnswer = (error: unknown, answerTimeoutMs: number): string => {
  if (!(error instanceof Error)) return String(error);
  const isTimeout = error.cause instanceof Error && error.cause.name === 'TimeoutError';
  return isTimeout ? `No answer within ${answerTimeoutMs} ms.` : error.message;
};
