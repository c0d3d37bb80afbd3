import { type AccountRef, type Circuit, nextProbeAt, type OpenCircuit } from '../domain/circuit-breaker.ts';
import type { Contact, ContactRef } from '../domain/contact.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { SendOutcome } from '../domain/send-outcome.ts';
import type { CircuitRepository, Clock, ContactRepository, Log, Metrics, Randomness } from '../ports.ts';

export interface CircuitBreakerOptions {
  readonly contacts: Pick<ContactRepository, 'read' | 'readWithCircuit'>;
  readonly circuits: CircuitRepository;
  readonly account: AccountRef;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long a probe may take, including its writes. No other probe starts during that time. */
  readonly probeLeaseMs: number;
}

/** The outcome of a call, and when the call was claimed. */
export interface ObservedCall {
  readonly outcome: SendOutcome;
  readonly calledAt: Instant;
}

/** The result of an admitted call, with `open` if its outcome opened the circuit breaker or kept it open. */
export interface AdmittedResult<Result> {
  readonly kind: 'admitted';
  readonly result: Result;
  readonly open?: OpenCircuit;
}

/** How long this process relies on the circuit that it last read, and on its last answered call. */
const TRUSTED_MS = 5_000;

/**
 * Creates the circuit breaker of an account. It opens when the account has no credit or its access token is refused.
 * While it is open, Parley sends one probe at a time. An accepted probe closes it.
 *
 * While it is closed, a process that has received no answer for a few seconds makes one call before it makes calls
 * concurrently. If the account has run out of credit by then, only one call fails instead of a whole batch.
 */
export const createCircuitBreaker = (options: CircuitBreakerOptions) => {
  const { contacts, circuits, account, clock, randomness, log, metrics, probeLeaseMs } = options;
  let known: { readonly circuit: Circuit; readonly at: Instant } | undefined;
  let answeredAt: Instant | undefined;
  let firstCall: Promise<void> | undefined;

  const isRecent = (at: Instant | undefined) => at !== undefined && clock.now() < addMs(at, TRUSTED_MS);

  const remember = (circuit: Circuit): Circuit => {
    known = { circuit, at: clock.now() };
    return circuit;
  };

  /** Waits until a call is allowed. Returns the circuit if it is open and no probe is due. */
  const admit = async (): Promise<{ readonly probeId?: string; readonly release: () => void } | OpenCircuit> => {
    const circuit = known?.circuit ?? { state: 'closed' };
    if (circuit.state === 'open') {
      const now = clock.now();
      if (now < circuit.nextProbeAt) return circuit;
      const probeId = randomness.newId();
      const probe = await circuits.claimProbe({ probeId, now, leaseUntil: addMs(now, probeLeaseMs) });
      const current = remember(probe.circuit);
      if (probe.isClaimed) return { probeId, release: () => undefined };
      return current.state === 'open' ? current : admit();
    }
    if (isRecent(answeredAt)) return { release: () => undefined };
    if (firstCall !== undefined) {
      await firstCall;
      return admit();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    firstCall = promise;
    const release = () => {
      if (firstCall === promise) firstCall = undefined;
      resolve();
    };
    return { release };
  };

  const trip = async (probeId: string | undefined, { outcome, calledAt }: ObservedCall) => {
    if (outcome.kind !== 'not-done' || outcome.cause === 'unavailable') return undefined;
    const { cause: reason, explanation: why } = outcome;
    const now = clock.now();
    const circuit = remember(
      probeId === undefined
        ? await circuits.open({ reason, why, calledAt, openedAt: now, nextProbeAt: nextProbeAt(now, 0) })
        : await circuits.failProbe(probeId, { reason, why, nextProbeAt: nextProbeAt(now, probes()) }),
    );
    metrics.count('AccountHeld');
    log.error('circuit breaker open: requests wait while Parley sends one probe at a time', { reason, why });
    return circuit.state === 'open' ? circuit : undefined;
  };

  const probes = () => (known?.circuit.state === 'open' ? known.circuit.probes : 0);

  const endProbe = async (probeId: string, { outcome }: ObservedCall): Promise<void> => {
    const now = clock.now();
    if (outcome.kind === 'accepted') {
      remember(await circuits.close(probeId, now));
      answeredAt = now;
      metrics.count('AccountResumed');
      log.info('circuit breaker closed: a probe was accepted', {});
    } else if (known?.circuit.state === 'open') {
      // The outcome says nothing about the account, so the next request becomes the next probe.
      const { reason, why } = known.circuit;
      remember(await circuits.failProbe(probeId, { reason, why, nextProbeAt: nextProbeAt(now, probes()) }));
    }
  };

  const observe = async (probeId: string | undefined, call: ObservedCall): Promise<OpenCircuit | undefined> => {
    const open = await trip(probeId, call);
    if (open !== undefined) return open;
    if (probeId !== undefined) await endProbe(probeId, call);
    else if (call.outcome.kind !== 'not-done' || call.outcome.cause === 'unavailable') answeredAt = clock.now();
    return undefined;
  };

  return {
    /** Reads a contact. Reads the circuit in the same call unless it was read recently. */
    async readContact(ref: ContactRef): Promise<Contact> {
      if (isRecent(known?.at)) return (await contacts.read(ref)) ?? {};
      const askedAt = clock.now();
      const { contact, circuit } = await contacts.readWithCircuit(ref, account);
      if (known === undefined || known.at <= askedAt) remember(circuit);
      return contact;
    },

    /**
     * Runs `call` unless the circuit breaker is open, then opens or closes it according to the outcome. `call` returns
     * no `observed` if it ended before it called the chat service.
     */
    async run<Result>(
      call: () => Promise<{ readonly result: Result; readonly observed?: ObservedCall }>,
    ): Promise<AdmittedResult<Result> | OpenCircuit> {
      const admission = await admit();
      if ('state' in admission) return admission;
      try {
        const { result, observed } = await call();
        const open = observed && (await observe(admission.probeId, observed));
        return { kind: 'admitted', result, ...(open && { open }) };
      } finally {
        admission.release();
      }
    },
  };
};

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;
