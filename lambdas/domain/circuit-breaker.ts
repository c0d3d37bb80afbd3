import { addMs, type Instant, msBetween } from './instant.ts';
import type { SendOutcome } from './send-outcome.ts';

/** The chat service account that a stage sends from: the one its access token belongs to. */
export interface AccountRef {
  readonly platform: string;
  /** The business's own number. */
  readonly channel: string;
}

/**
 * Why the circuit breaker opened: error 101; an access token that was refused twice; or an unreachable service, which
 * means that outcomes are unknown or that something other than the service refuses the calls.
 */
export const OPEN_REASONS = ['no-credit', 'token', 'unreachable'] as const;
export type OpenReason = (typeof OPEN_REASONS)[number];

/** The circuit breaker is open: requests wait, and Parley makes one probe at a time. */
export interface OpenCircuit {
  readonly state: 'open';
  readonly reason: OpenReason;
  readonly why: string;
  readonly openedAt: Instant;
  /** When the next request may start a probe. While a probe is in flight, the end of its lease. */
  readonly nextProbeAt: Instant;
  /** Probes started since the circuit breaker opened. */
  readonly probes: number;
  /** How many probes sent a request and failed in a way that may have left its outcome unknown. */
  readonly failedSends: number;
  /** When the latest of these failed. */
  readonly sendFailedAt?: Instant;
}

export type Circuit = { readonly state: 'closed' } | OpenCircuit;

/** The circuit breaker opens after this many unknown outcomes in a row. */
const UNKNOWN_OUTCOMES_TO_OPEN = 3;

/**
 * The circuit breaker opens after calls for this many contacts were blocked. A firewall that blocks one message affects
 * only one contact and must not stop the stage.
 */
const BLOCKED_CONTACTS_TO_OPEN = 3;

/** What a process has seen since the chat service last answered it according to the contract. */
export interface Failures {
  readonly unknownOutcomes: number;
  /** The contacts whose calls were blocked. */
  readonly blockedContacts: ReadonlySet<string>;
}

export const NO_FAILURES: Failures = { unknownOutcomes: 0, blockedContacts: new Set() };

/** Whether the outcome shows that the service is reachable and the account is in order. */
export const isServed = ({ kind }: SendOutcome): boolean =>
  kind === 'accepted' || kind === 'rejected' || kind === 'window-closed';

/** Whether something between Parley and the service may be broken: the outcome is unknown, or the call was blocked. */
export const isUnserved = (outcome: SendOutcome): boolean =>
  outcome.kind === 'uncertain' || (outcome.kind === 'not-done' && outcome.cause === 'blocked');

/** Returns the failures after one more outcome. If the service reports that it is unavailable, nothing changes. */
export const addOutcome = (failures: Failures, outcome: SendOutcome, contactKey: string): Failures => {
  if (isServed(outcome)) return NO_FAILURES;
  if (!isUnserved(outcome)) return failures;
  return outcome.kind === 'uncertain'
    ? { ...failures, unknownOutcomes: failures.unknownOutcomes + 1 }
    : { ...failures, blockedContacts: new Set([...failures.blockedContacts, contactKey]) };
};

/** Returns why an outcome opens the circuit breaker, or undefined if it does not. */
export const openReason = (outcome: SendOutcome, failures: Failures): OpenReason | undefined => {
  if (outcome.kind === 'not-done' && (outcome.cause === 'no-credit' || outcome.cause === 'token')) return outcome.cause;
  if (!isUnserved(outcome)) return undefined;
  const isOpened =
    failures.unknownOutcomes >= UNKNOWN_OUTCOMES_TO_OPEN || failures.blockedContacts.size >= BLOCKED_CONTACTS_TO_OPEN;
  return isOpened ? 'unreachable' : undefined;
};

/** Explains an outcome that may open the circuit breaker or keep it open. */
export const explainFailure = (outcome: SendOutcome): string =>
  outcome.kind === 'uncertain' || outcome.kind === 'not-done' ? outcome.explanation : '';

const FIRST_PROBE_MS = 5_000;
const MAX_PROBE_INTERVAL_MS = 5 * 60 * 1000;
const FIRST_SEND_PROBE_MS = 60_000;
const MAX_SEND_PROBE_INTERVAL_MS = 60 * 60 * 1000;

/** Returns the time of the next probe: 5 seconds after opening, then at doubling intervals up to 5 minutes. */
export const nextProbeAt = (now: Instant, probes: number): Instant =>
  addMs(now, Math.min(MAX_PROBE_INTERVAL_MS, FIRST_PROBE_MS * 2 ** Math.min(probes, 20)));

/**
 * Returns the time of the next probe after one that sent a request and failed: one minute later, then at intervals that
 * double up to one hour, because each such probe may leave one more outcome unknown.
 */
export const nextSendProbeAt = (now: Instant, failedSends: number): Instant =>
  addMs(now, Math.min(MAX_SEND_PROBE_INTERVAL_MS, FIRST_SEND_PROBE_MS * 2 ** Math.min(failedSends, 20)));

/**
 * Whether a probe of an unreachable service sends a request even though the contact check failed: once an hour. The
 * check may fail permanently on a service that accepts requests, and must not keep the circuit breaker open forever.
 */
export const isSendProbeDue = ({ openedAt, sendFailedAt = openedAt }: OpenCircuit, now: Instant): boolean =>
  msBetween(sendFailedAt, now) >= MAX_SEND_PROBE_INTERVAL_MS;
