import { addMs, type Instant } from './instant.ts';

/** An operator has stopped sending for the stage. Requests wait, in order, until an operator resumes sending. */
export interface Stop {
  readonly stoppedAt: Instant;
  /** Why, in the operator's words. Numbers are masked. */
  readonly note: string;
}

/** Whether the stage sends. The latest stop or resumption counts, regardless of the order of their writes. */
export type Sending =
  | { readonly state: 'running'; readonly resumedAt?: Instant }
  | ({ readonly state: 'stopped' } & Stop);

/**
 * How long a function may rely on what it last read about the account: its circuit breaker, and whether sending is
 * stopped. A stop therefore applies to every call that starts later than this after it.
 */
export const ACCOUNT_TRUSTED_MS = 5_000;

/** Whether the account, as read at `learnedAt`, is recent enough to rely on. False if it has not been read. */
export const isTrusted = (learnedAt: Instant | undefined, now: Instant): boolean =>
  learnedAt !== undefined && now < addMs(learnedAt, ACCOUNT_TRUSTED_MS);

/**
 * Returns the time of an operator's action: now, or just after the previous action, because the clock that timed that
 * one may have been ahead.
 */
export const timeOfAct = (now: Instant, before: Sending): Instant => {
  const latest = before.state === 'stopped' ? before.stoppedAt : before.resumedAt;
  return latest !== undefined && latest >= now ? addMs(latest, 1) : now;
};

/** Describes a stop for the sends that it delays. The note is left out, because events without content carry this. */
export const describeStop = ({ stoppedAt }: Stop): string => `An operator stopped sending at ${stoppedAt}.`;
