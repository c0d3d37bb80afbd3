import { MAX_WAIT_MS } from './backoff.ts';
import { addMs, type Instant, msBetween } from './instant.ts';

/** The chat service account that a stage sends from: the one its access token belongs to. */
export interface AccountRef {
  readonly platform: string;
  /** The business's own number. */
  readonly channel: string;
}

/** Why the circuit breaker opened: error 101, or an access token that was refused twice. */
export const OPEN_REASONS = ['no-credit', 'token'] as const;
export type OpenReason = (typeof OPEN_REASONS)[number];

/** The circuit breaker is open: requests wait, and one probe at a time is sent. */
export interface OpenCircuit {
  readonly state: 'open';
  readonly reason: OpenReason;
  readonly why: string;
  readonly openedAt: Instant;
  /** When the next request may be sent as a probe. While a probe is in flight, the end of its lease. */
  readonly nextProbeAt: Instant;
  /** Probes started since the circuit breaker opened. */
  readonly probes: number;
}

export type Circuit = { readonly state: 'closed' } | OpenCircuit;

const FIRST_PROBE_MS = 5_000;
const MAX_PROBE_INTERVAL_MS = 5 * 60 * 1000;
const MAX_JITTER_MS = 30_000;

/** Returns the time of the next probe: 5 seconds after opening, then at doubling intervals up to 5 minutes. */
export const nextProbeAt = (now: Instant, probes: number): Instant =>
  addMs(now, Math.min(MAX_PROBE_INTERVAL_MS, FIRST_PROBE_MS * 2 ** Math.min(probes, 20)));

/**
 * Returns how long a request waits while the circuit breaker is open: at least until the next probe and as long as the
 * circuit breaker has been open, but no more than 15 minutes. One request is enough for a probe; retrying the others
 * sooner would only use up the queue's receives.
 *
 * @param random a random number from 0 (inclusive) to 1 (exclusive)
 */
export const openCircuitWaitMs = (circuit: OpenCircuit, now: Instant, random: number): number => {
  const full = Math.max(0, msBetween(now, circuit.nextProbeAt), msBetween(circuit.openedAt, now));
  const bounded = Math.min(MAX_WAIT_MS - MAX_JITTER_MS, full);
  return Math.round(bounded + random * Math.min(MAX_JITTER_MS, 1_000 + bounded / 2));
};
