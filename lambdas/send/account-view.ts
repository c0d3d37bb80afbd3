import { type Circuit, type Failures, NO_FAILURES, type OpenCircuit } from '../domain/circuit-breaker.ts';
import type { Instant } from '../domain/instant.ts';
import { describeStop, type Stop } from '../domain/sending-stop.ts';
import type { Clock, Metrics } from '../ports.ts';

/** Why a request must wait, as a sentence, and since when requests have waited for that. */
export interface Blocked {
  readonly kind: 'blocked';
  readonly since: Instant;
  readonly why: string;
}

/**
 * What a process knows of the account, which changes while it sends. The handlers of both send queues share it, so that
 * a failure of the chat service counts for both, whichever queue its request came from.
 */
export interface AccountView {
  /** The circuit as last read or written, if it is open, and when. */
  openCircuit: OpenCircuit | undefined;
  circuitKnownAt: Instant | undefined;
  failures: Failures;
  /** An operator's stop as last read, and when that read started. */
  stopped: Blocked | undefined;
  readAt: Instant | undefined;
}

export const createAccountView = (): AccountView => ({
  openCircuit: undefined,
  circuitKnownAt: undefined,
  failures: NO_FAILURES,
  stopped: undefined,
  readAt: undefined,
});

interface AccountPorts {
  readonly accountView: AccountView;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/**
 * Every read and write of the circuit shows its current state. The alarm keeps the latest state that a metric reported,
 * so the metric must never report one that another function has already changed. Returns the circuit if it is open.
 */
export const rememberCircuit = (
  { accountView, clock, metrics }: AccountPorts,
  circuit: Circuit,
): OpenCircuit | undefined => {
  accountView.openCircuit = circuit.state === 'open' ? circuit : undefined;
  accountView.circuitKnownAt = clock.now();
  metrics.record('AccountHeld', circuit.state === 'open' ? 1 : 0);
  return accountView.openCircuit;
};

export const blockedByCircuit = ({ openedAt, why }: OpenCircuit): Blocked => ({
  kind: 'blocked',
  since: openedAt,
  why: `The circuit breaker has been open since ${openedAt}: ${why}`,
});

export const blockedByStop = (stop: Stop): Blocked => ({
  kind: 'blocked',
  since: stop.stoppedAt,
  why: describeStop(stop),
});
