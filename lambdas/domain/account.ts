import { LONGEST_WAIT_MS } from './backoff.ts';
import { addMs, type Instant } from './instant.ts';

/** The chat service's account that a stage sends by: the one that its access token belongs to. */
export interface AccountRef {
  readonly platform: string;
  /** The business's own number, by which the account is known. */
  readonly channel: string;
}

/** Why nothing is sent: the balance is exhausted (error 101), or the access token is refused (a second 401). */
export type HoldReason = 'no-credit' | 'token';

/** An account by which nothing is sent but one probe at a time. */
export interface HeldAccount {
  readonly kind: 'held';
  readonly reason: HoldReason;
  readonly why: string;
  readonly heldAt: Instant;
  /** When the next request may be tried as a probe. While a probe runs, the end of its lease. */
  readonly nextProbeAt: Instant;
  /** How many probes were begun since the account is held. */
  readonly probes: number;
}

export type AccountState = { readonly kind: 'open' } | HeldAccount;

const FIRST_PROBE_MS = 5_000;
const LONGEST_PROBE_WAIT_MS = 5 * 60 * 1000;
const MOST_JITTER_MS = 30_000;

/** When the account is probed next: five seconds after it was held, then twice as long each time, up to five minutes. */
export const nextProbeAt = (now: Instant, probes: number): Instant =>
  addMs(now, Math.min(LONGEST_PROBE_WAIT_MS, FIRST_PROBE_MS * 2 ** Math.min(probes, 20)));

/**
 * How long a request waits while its account is held: past the next probe, and as long again as the account has been held
 * already, up to 15 minutes. One request is enough for a probe; the others would only use up the queue's receives.
 *
 * @param fraction chance, from 0 to less than 1
 */
export const heldWaitMs = (held: HeldAccount, now: Instant, fraction: number): number => {
  const nowMs = Date.parse(now);
  const full = Math.max(0, Date.parse(held.nextProbeAt) - nowMs, nowMs - Date.parse(held.heldAt));
  const bounded = Math.min(LONGEST_WAIT_MS - MOST_JITTER_MS, full);
  return Math.round(bounded + fraction * Math.min(MOST_JITTER_MS, 1_000 + bounded / 2));
};
