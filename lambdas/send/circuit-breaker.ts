import {
  addOutcome,
  explainFailure,
  isServed,
  isUnserved,
  nextProbeAt,
  openReason,
} from '../domain/circuit-breaker.ts';
import type { ContactRef } from '../domain/contact.ts';
import type { Instant } from '../domain/instant.ts';
import type { AddressedSend } from '../domain/send.ts';
import { isTrusted } from '../domain/sending-stop.ts';
import { type Blocked, rememberCircuit } from './account-view.ts';
import { createCallLimit } from './call-limit.ts';
import { type CircuitProbe, claimProbe, endProbe, type ObservedCall, returnProbe } from './circuit-probe.ts';
import type { SendContext } from './send-context.ts';

/** The right to make one call. Disposing of it lets another call start. */
export interface CallSlot extends Disposable {
  readonly kind: 'admitted';
  /** It sends a request even though the service seems unreachable. */
  readonly isBlind: boolean;
  /**
   * Opens or closes the circuit breaker according to a call that has ended.
   *
   * @param observed undefined if the send ended before the chat service was called
   */
  conclude(observed: ObservedCall | undefined): Promise<void>;
}

/**
 * Creates the circuit breaker of an account. It opens when the account has no credit, its access token is refused, or
 * the chat service is unreachable. While it is open, Parley makes one probe at a time. An accepted request closes it.
 *
 * While it is closed, a process starts with one call at a time and makes more as the service answers. An outage
 * therefore leaves at most the calls in flight when it starts, and two more per process, without a known outcome. A
 * probe of an unreachable service first makes a call that sends no message. If that call keeps failing, one request an
 * hour is sent.
 */
export const createCircuitBreaker = (context: SendContext) => {
  const { circuits, accountView: view, clock, log, pace } = context;
  const limit = createCallLimit(context.maxConcurrentCalls);
  let answeredAt: Instant | undefined;

  const observe = async (contact: ContactRef, probe: CircuitProbe | undefined, call: ObservedCall): Promise<void> => {
    const { via, outcome } = call;
    if (via === 'send') {
      view.failures = addOutcome(view.failures, outcome, contact.key);
      if (isServed(outcome)) {
        answeredAt = clock.now();
        limit.widen();
      } else limit.narrow();
    }
    if (probe !== undefined) await endProbe(context, probe, call);
    else await openAfter(context, call);
    // Another process may have opened the circuit breaker for the same reason.
    if (via === 'send' && isUnserved(outcome) && view.openCircuit === undefined) {
      rememberCircuit(context, await circuits.read());
    }
  };

  const conclude = async (
    contact: ContactRef,
    probe: CircuitProbe | undefined,
    observed: ObservedCall | undefined,
  ): Promise<void> => {
    if (observed === undefined) return probe && returnProbe(context, probe);
    try {
      await observe(contact, probe, observed);
    } catch (error) {
      // The call's outcome is recorded by now, so a failure here must not make its message fail.
      log.warn('circuit breaker not updated', { error });
    }
  };

  return {
    /** Waits until a call may be made. Returns why the request must wait if it may not. */
    async admit(send: AddressedSend): Promise<CallSlot | Blocked> {
      if (!isTrusted(answeredAt, clock.now())) limit.narrow();
      using taken = new DisposableStack();
      taken.defer(await limit.acquire());
      // Before a probe is claimed, so that the wait does not use up its lease. A blocked request makes no call.
      if (pace !== undefined && !isBlocked(context)) await pace.waitForSlot();
      if (view.stopped !== undefined) return view.stopped;
      const probe = view.openCircuit && (await claimProbe(context, send, view.openCircuit));
      if (probe?.kind === 'blocked') return probe;
      const slot = taken.move();
      return {
        kind: 'admitted',
        isBlind: probe?.isBlind === true,
        conclude: (observed) => conclude(send.contact, probe, observed),
        [Symbol.dispose]: () => slot.dispose(),
      };
    },
  };
};

const isBlocked = ({ accountView: { stopped, openCircuit }, clock }: SendContext): boolean =>
  stopped !== undefined || (openCircuit !== undefined && clock.now() < openCircuit.nextProbeAt);

/** Opens the circuit breaker if the outcome of a call is a reason to. */
const openAfter = async (context: SendContext, { outcome, calledAt }: ObservedCall): Promise<void> => {
  const { circuits, accountView, clock, log } = context;
  const reason = openReason(outcome, accountView.failures);
  if (reason === undefined) return;
  const now = clock.now();
  const why = explainFailure(outcome);
  const trip = { reason, why, calledAt, openedAt: now, nextProbeAt: nextProbeAt(now, 0) };
  rememberCircuit(context, await circuits.open(trip));
  log.error('circuit breaker open: requests wait while Parley makes one probe at a time', { reason, why });
};
