import { type Circuit, type Failures, NO_FAILURES, type OpenCircuit } from '../domain/circuit-breaker.ts';
import type { Instant } from '../domain/instant.ts';
import type { Stop } from '../domain/sending-stop.ts';
import type { Clock, Metrics } from '../ports.ts';

/**
 * What a process knows of the account, which changes while it sends. The handlers of both send queues share it, so that
 * a failure of the chat service counts for both, whichever queue its request came from.
 */
export interface AccountView {
  /** The circuit as last read or written, and when. */
  circuit: Circuit;
  circuitKnownAt: Instant | undefined;
  failures: Failures;
  /** An operator's stop as last read, and when that read started. */
  stop: Stop | undefined;
  readAt: Instant | undefined;
}

export const createAccountView = (): AccountView => ({
  circuit: { state: 'closed' },
  circuitKnownAt: undefined,
  failures: NO_FAILURES,
  stop: undefined,
  readAt: undefined,
});

/** Returns the circuit as last known, if it is open. */
export const openCircuitOf = ({ circuit }: AccountView): OpenCircuit | undefined =>
  circuit.state === 'open' ? circuit : undefined;

interface AccountPorts {
  readonly accountView: AccountView;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/**
 * Every read and write of the circuit shows its current state. The alarm keeps the latest state that a metric reported,
 * so the metric must never report one that another function has already changed.
 */
export const rememberCircuit = ({ accountView, clock, metrics }: AccountPorts, circuit: Circuit): Circuit => {
  accountView.circuit = circuit;
  accountView.circuitKnownAt = clock.now();
  metrics.record('AccountHeld', circuit.state === 'open' ? 1 : 0);
  return circuit;
};
