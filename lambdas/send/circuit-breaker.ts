import {
  type AccountRef,
  addOutcome,
  type Circuit,
  isSendProbeDue,
  isServed,
  isUnserved,
  nextProbeAt,
  nextSendProbeAt,
  type OpenCircuit,
  openReason,
} from '../domain/circuit-breaker.ts';
import type { Contact, ContactRef } from '../domain/contact.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { SendOutcome } from '../domain/send-outcome.ts';
import { ACCOUNT_TRUSTED_MS, type Stop } from '../domain/sending-stop.ts';
import type { CircuitRepository, Clock, ContactRepository, Log, Metrics, Randomness } from '../ports.ts';
import type { AccountView } from './account-view.ts';
import { createCallLimit } from './call-limit.ts';
import type { CallPace } from './call-pace.ts';

export interface CircuitBreakerOptions {
  readonly contacts: Pick<ContactRepository, 'read' | 'readWithAccount'>;
  readonly circuits: CircuitRepository;
  readonly account: AccountRef;
  readonly accountView: AccountView;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long a probe may take, including its writes. No other probe starts during this time. */
  readonly probeLeaseMs: number;
  /** The maximum number of concurrent calls in this process. */
  readonly maxConcurrentCalls: number;
  /** The pace of calls in this process. @default no limit */
  readonly pace?: CallPace | undefined;
}

/** The outcome of a call, and when the call was claimed. */
export interface ObservedCall {
  /** A contact check has no effect and may fail for good where requests are accepted: it shows only the account. */
  readonly via: 'send' | 'check';
  readonly outcome: SendOutcome;
  readonly calledAt: Instant;
}

/** A call that the circuit breaker guards. */
export interface GuardedCall<Result> {
  readonly contact: ContactRef;
  /** Returns no observation if it ended before the chat service was called. */
  readonly call: (probe: {
    readonly isBlind: boolean;
  }) => Promise<{ readonly result: Result; readonly observed?: ObservedCall }>;
  /** Whether the chat service answers a call that sends no message. */
  readonly isReachable: () => Promise<boolean>;
}

/** The result of an admitted call, with the open circuit if its outcome opened the circuit breaker or kept it open. */
export interface AdmittedResult<Result> {
  readonly kind: 'admitted';
  readonly result: Result;
  readonly open?: OpenCircuit;
}

/** The right to make one call, as a probe if it has an id. */
interface Admission {
  readonly probeId?: string;
  readonly release: () => void;
}

/** A probe in flight. */
interface Probe {
  readonly probeId: string;
  /** It sends a request even though the service seems unreachable. */
  readonly isBlind: boolean;
}

/** The result of a call that was not admitted: why it must wait. */
export type Held = { readonly kind: 'held' } & (
  | { readonly by: 'circuit'; readonly circuit: OpenCircuit }
  | { readonly by: 'operator'; readonly stop: Stop }
);

/**
 * Creates the circuit breaker of an account. It opens when the account has no credit, its access token is refused, or
 * the chat service is unreachable. While it is open, Parley makes one probe at a time. An accepted request closes it.
 *
 * While it is closed, a process starts with one call at a time and makes more as the service answers. An outage
 * therefore leaves at most the calls in flight when it starts, and two more per process, without a known outcome. A
 * probe of an unreachable service first makes a call that sends no message. If that call keeps failing, one request an
 * hour is sent.
 */
export const createCircuitBreaker = (options: CircuitBreakerOptions) => {
  const { contacts, circuits, account, accountView: view, clock, randomness, log, metrics, pace } = options;
  // A probe may make a second call, after error 201, and must not lose its lease while that waits for its slot.
  const probeLeaseMs = options.probeLeaseMs + (pace?.longestWaitMs ?? 0);
  const limit = createCallLimit(options.maxConcurrentCalls);
  let answeredAt: Instant | undefined;

  const isRecent = (at: Instant | undefined) => at !== undefined && clock.now() < addMs(at, ACCOUNT_TRUSTED_MS);

  /**
   * Every read and write of the circuit shows its current state. The alarm keeps the latest state that a metric
   * reported, so the metric must never report one that another function has already changed.
   */
  const remember = (circuit: Circuit): Circuit => {
    view.known = { circuit, at: clock.now() };
    metrics.record('AccountHeld', circuit.state === 'open' ? 1 : 0);
    return circuit;
  };

  const heldByOperator = (): Held | undefined =>
    view.sending?.stop && { kind: 'held', by: 'operator', stop: view.sending.stop };

  const isHeld = (): boolean => {
    const open = openNow();
    return heldByOperator() !== undefined || (open !== undefined && clock.now() < open.nextProbeAt);
  };

  /** Waits for permission to make a call. Returns what holds it if no call is allowed. */
  const admit = async (): Promise<Admission | Held> => {
    if (!isRecent(answeredAt)) limit.narrow();
    const release = await limit.acquire();
    try {
      // Before a probe is claimed, so that the wait does not use up its lease. A held request makes no call.
      if (pace !== undefined && !isHeld()) await pace.waitForSlot();
      const held = heldByOperator();
      if (held !== undefined) {
        release();
        return held;
      }
      const circuit = view.known?.circuit ?? { state: 'closed' };
      if (circuit.state === 'closed') return { release };
      const now = clock.now();
      if (now >= circuit.nextProbeAt) {
        const probeId = randomness.newId();
        const probe = await circuits.claimProbe({ probeId, now, leaseUntil: addMs(now, probeLeaseMs) });
        const current = remember(probe.circuit);
        if (probe.isClaimed) return { probeId, release };
        if (current.state === 'closed') return { release };
      }
      release();
      return { kind: 'held', by: 'circuit', circuit: openNow() ?? circuit };
    } catch (error) {
      release();
      throw error;
    }
  };

  const openNow = (): OpenCircuit | undefined =>
    view.known?.circuit.state === 'open' ? view.known.circuit : undefined;

  /** Ends a probe that did not close the circuit breaker. */
  const failProbe = async (
    probeId: string,
    change: Partial<Pick<OpenCircuit, 'reason' | 'why'>> = {},
    { isSendFailed, isBlind } = { isSendFailed: false, isBlind: false },
  ) => {
    const open = openNow();
    if (open === undefined) return;
    const { reason, why, probes, failedSends } = { ...open, ...change };
    const now = clock.now();
    // Blind probes are an hour apart anyway, so the probes between them send no message.
    const at = isSendFailed && !isBlind ? nextSendProbeAt(now, failedSends) : nextProbeAt(now, probes);
    remember(
      await circuits.failProbe(probeId, { reason, why, nextProbeAt: at, ...(isSendFailed && { sendFailedAt: now }) }),
    );
  };

  const closeCircuit = async (probeId: string): Promise<void> => {
    const { state } = remember(await circuits.close(probeId, clock.now()));
    // The probe's lease may have expired, and a later probe has kept the circuit breaker open.
    if (state === 'open') return;
    metrics.count('AccountResumed');
    log.info('circuit breaker closed: the chat service answered a probe', {});
  };

  const endProbe = async ({ probeId, isBlind }: Probe, { via, outcome }: ObservedCall): Promise<void> => {
    const reason = openReason(outcome, view.failures);
    const isRestored = openNow()?.reason === 'unreachable' ? isServed(outcome) : outcome.kind === 'accepted';
    if (via === 'send' && isRestored) await closeCircuit(probeId);
    else if (via === 'send' && outcome.kind === 'uncertain') {
      // The next probe sends no message, so that no other request ends without a known outcome.
      await failProbe(probeId, { reason: 'unreachable', why: explain(outcome) }, { isSendFailed: true, isBlind });
    } else if (reason !== undefined) await failProbe(probeId, { reason, why: explain(outcome) });
    else await failProbe(probeId);
  };

  const trip = async ({ outcome, calledAt }: ObservedCall): Promise<void> => {
    const reason = openReason(outcome, view.failures);
    if (reason === undefined) return;
    const now = clock.now();
    const why = explain(outcome);
    remember(await circuits.open({ reason, why, calledAt, openedAt: now, nextProbeAt: nextProbeAt(now, 0) }));
    log.error('circuit breaker open: requests wait while Parley makes one probe at a time', { reason, why });
  };

  const observe = async (
    probe: Probe | undefined,
    contact: ContactRef,
    call: ObservedCall,
  ): Promise<OpenCircuit | undefined> => {
    const { via, outcome } = call;
    if (via === 'send') {
      view.failures = addOutcome(view.failures, outcome, contact.key);
      if (isServed(outcome)) {
        answeredAt = clock.now();
        limit.widen();
      } else limit.narrow();
    }
    if (probe !== undefined) await endProbe(probe, call);
    else await trip(call);
    // Another process may have opened the circuit breaker for the same reason.
    if (via === 'send' && isUnserved(outcome) && openNow() === undefined) remember(await circuits.read());
    return isServed(outcome) ? undefined : openNow();
  };

  /** The call's outcome is recorded by now, so a failure here must not make its message fail. */
  const observeSafely: typeof observe = async (probe, contact, call) => {
    try {
      return await observe(probe, contact, call);
    } catch (error) {
      log.warn('circuit breaker not updated', { error });
      return openNow();
    }
  };

  /** Reads a contact. Reads the account in the same call unless it was read recently. */
  const readContact = async (ref: ContactRef): Promise<Contact> => {
    if (isRecent(view.sending?.askedAt)) return (await contacts.read(ref, clock.now())) ?? {};
    const askedAt = clock.now();
    const { contact, circuit, stop } = await contacts.readWithAccount(ref, account, askedAt);
    if (view.known === undefined || view.known.at <= askedAt) remember(circuit);
    if (view.sending === undefined || view.sending.askedAt <= askedAt) view.sending = { stop, askedAt };
    if (stop !== undefined) metrics.record('SendingStopped', 1);
    return contact;
  };

  return {
    readContact,

    /** Whether {@link readContact} would read the account, because what is known of it is too old for a call. */
    isAccountStale: (): boolean => !isRecent(view.sending?.askedAt),

    /** Returns the operator's stop as last read. Returns undefined if sending is not stopped. */
    stop: (): Stop | undefined => view.sending?.stop,

    /**
     * Makes a call unless the circuit breaker is open or an operator has stopped sending, then opens or closes the
     * circuit breaker according to the outcome.
     */
    async run<Result>({ contact, call, isReachable }: GuardedCall<Result>): Promise<AdmittedResult<Result> | Held> {
      const admission = await admit();
      if ('kind' in admission) return admission;
      const { probeId, release } = admission;
      try {
        const open = openNow();
        const isBlind = probeId !== undefined && open?.reason === 'unreachable' && !(await isReachable());
        if (isBlind && !isSendProbeDue(open, clock.now())) {
          await failProbe(probeId);
          return { kind: 'held', by: 'circuit', circuit: openNow() ?? open };
        }
        const { result, observed } = await call({ isBlind });
        if (observed === undefined) {
          // The chat service was not called, so the next request may probe at once.
          if (probeId !== undefined && open) await returnProbe(circuits, probeId, open, clock.now());
          return { kind: 'admitted', result };
        }
        const probe = probeId === undefined ? undefined : { probeId, isBlind };
        const stillOpen = await observeSafely(probe, contact, observed);
        return { kind: 'admitted', result, ...(stillOpen && { open: stillOpen }) };
      } finally {
        release();
      }
    },
  };
};

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

const returnProbe = async (
  circuits: CircuitRepository,
  probeId: string,
  { reason, why }: OpenCircuit,
  now: Instant,
): Promise<void> => {
  await circuits.failProbe(probeId, { reason, why, nextProbeAt: now });
};

const explain = (outcome: SendOutcome): string =>
  outcome.kind === 'uncertain' || outcome.kind === 'not-done' ? outcome.explanation : '';
