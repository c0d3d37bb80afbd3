import {
  explainFailure,
  isSendProbeDue,
  isServed,
  nextProbeAt,
  nextSendProbeAt,
  type OpenCircuit,
  openReason,
} from '../domain/circuit-breaker.ts';
import { isServiceAnswer } from '../domain/contact-check.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { AddressedSend } from '../domain/send.ts';
import { formatNumber } from '../domain/send-call.ts';
import type { SendOutcome } from '../domain/send-outcome.ts';
import type { CircuitRepository } from '../ports.ts';
import { type Blocked, blockedByCircuit, rememberCircuit } from './account-view.ts';
import type { SendContext } from './send-context.ts';

/** The outcome of a call, and when the call was claimed. */
export interface ObservedCall {
  /** A contact check sends nothing, and may fail permanently where requests are accepted: it shows only the account. */
  readonly via: 'send' | 'check';
  readonly outcome: SendOutcome;
  readonly calledAt: Instant;
}

/** A call that shows whether the circuit breaker may close. */
export interface CircuitProbe {
  readonly kind: 'probe';
  readonly probeId: string;
  /** It sends a request even though the service seems unreachable. */
  readonly isBlind: boolean;
  /** The circuit that it probes. */
  readonly circuit: OpenCircuit;
}

/** Claims the probe of an open circuit if it is due. Returns undefined if the circuit breaker has closed. */
export const claimProbe = async (
  context: SendContext,
  send: AddressedSend,
  open: OpenCircuit,
): Promise<CircuitProbe | Blocked | undefined> => {
  const { circuits, accountView, clock, randomness, pace } = context;
  const now = clock.now();
  if (now < open.nextProbeAt) return blockedByCircuit(open);
  const probeId = randomness.newId();
  // A probe may make a second call, after error 201, and must not lose its lease while that waits for its slot.
  const leaseUntil = addMs(now, context.probeLeaseMs + (pace?.longestWaitMs ?? 0));
  const claimed = await circuits.claimProbe({ probeId, now, leaseUntil });
  const circuit = rememberCircuit(context, claimed.circuit);
  if (circuit === undefined) return undefined;
  if (!claimed.isClaimed) return blockedByCircuit(circuit);
  const isBlind = circuit.reason === 'unreachable' && !(await isReachable(context, send));
  if (!isBlind || isSendProbeDue(circuit, clock.now())) return { kind: 'probe', probeId, isBlind, circuit };
  await failProbe(context, probeId);
  return blockedByCircuit(accountView.openCircuit ?? circuit);
};

/** Whether the chat service answers a call that sends no message. */
const isReachable = async (
  { chatService, clock, rules, callTimeMs }: SendContext,
  { endBy }: AddressedSend,
): Promise<boolean> => {
  if (addMs(clock.now(), callTimeMs) > endBy) return false;
  const channel = formatNumber(rules.chatChannelNumber, rules.numberFormat ?? 'verbatim');
  return isServiceAnswer(await chatService.checkContacts(channel, [channel]));
};

/** Gives back a probe that did not call the chat service, so that the next request may probe at once. */
export const returnProbe = async (
  { circuits, clock }: SendContext,
  { probeId, circuit: { reason, why } }: CircuitProbe,
): Promise<void> => {
  await circuits.failProbe(probeId, { reason, why, nextProbeAt: clock.now() });
};

/** Closes the circuit breaker, or schedules the next probe, according to what the probe's call showed. */
export const endProbe = async (
  context: SendContext,
  { probeId, isBlind, circuit }: CircuitProbe,
  { via, outcome }: ObservedCall,
): Promise<void> => {
  const { openCircuit, failures } = context.accountView;
  const reason = openReason(outcome, failures);
  const why = explainFailure(outcome);
  const isRestored = openCircuit?.reason === 'unreachable' ? isServed(outcome) : outcome.kind === 'accepted';
  if (via === 'send' && isRestored) return closeCircuit(context, probeId);
  if (via === 'check' || outcome.kind !== 'uncertain') {
    return failProbe(context, probeId, reason === undefined ? {} : { reason, why });
  }
  const now = context.clock.now();
  // Blind probes are an hour apart anyway, so the probes between them send no message.
  const next = isBlind ? {} : { nextProbeAt: nextSendProbeAt(now, circuit.failedSends) };
  // The next probe sends no message, so that no other request ends without a known outcome.
  return failProbe(context, probeId, { reason: 'unreachable', why, sendFailedAt: now, ...next });
};

const closeCircuit = async (context: SendContext, probeId: string): Promise<void> => {
  const { circuits, clock, log, metrics } = context;
  const open = rememberCircuit(context, await circuits.close(probeId, clock.now()));
  // The probe's lease may have expired, and a later probe has kept the circuit breaker open.
  if (open !== undefined) return;
  metrics.count('AccountResumed');
  log.info('circuit breaker closed: the chat service answered a probe', {});
};

/** Schedules the next probe after one that did not close the circuit breaker. */
const failProbe = async (
  context: SendContext,
  probeId: string,
  change: Partial<Parameters<CircuitRepository['failProbe']>[1]> = {},
): Promise<void> => {
  const { circuits, accountView, clock } = context;
  const open = accountView.openCircuit;
  if (open === undefined) return;
  const { reason, why, probes } = open;
  const next = { reason, why, nextProbeAt: nextProbeAt(clock.now(), probes), ...change };
  rememberCircuit(context, await circuits.failProbe(probeId, next));
};
