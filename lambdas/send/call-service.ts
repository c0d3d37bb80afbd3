import type { Contact } from '../domain/contact.ts';
import type { FinalDecision, SendDecision } from '../domain/decision.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import { type AddressedSend, type Claim, logFieldsOf } from '../domain/send.ts';
import type { SendCall } from '../domain/send-call.ts';
import { decideOutsideWindow } from '../domain/send-decision.ts';
import { type SendOutcome, sendOutcome } from '../domain/send-outcome.ts';
import { hasExpired } from '../domain/send-request.ts';
import { childSpan } from '../domain/trace-context.ts';
import { repeatUntil } from '../runtime/time-budget.ts';
import { readWithOptOuts } from './read-contact.ts';
import type { SendContext } from './send-context.ts';

/** The last call made, and its outcome. */
export interface CompletedCall {
  readonly call: SendCall;
  readonly outcome: SendOutcome;
  /** The decision that no template follows the outcome `window-closed`. */
  readonly ended?: FinalDecision;
}

/**
 * Calls the chat service. If the service reports the window closed although Parley's record shows it open, falls back to
 * a template, which it records before making the call.
 */
export const callService = async (context: SendContext, send: AddressedSend, claim: Claim): Promise<CompletedCall> => {
  const first = await makeCall(context, send, claim, claim.call);
  if (first.outcome.kind !== 'window-closed' || claim.call.endpoint === 'intent/v2') return first;
  await recordDeniedWindow(context, send, claim);
  const latestStart = addMs(send.endBy, -context.callTimeMs);
  const fallback = await decidePacedTemplate(context, send, latestStart);
  if (fallback.kind === 'not-done') return { call: claim.call, outcome: fallback };
  if (fallback.kind !== 'call') return { ...first, ended: fallback };
  const { call, why: decision } = fallback;
  try {
    const replaceCall = () => context.sends.replaceCall(send.request.requestId, claim.claimId, { call, decision });
    const replaced = await repeatUntil(latestStart, replaceCall, context);
    if (replaced.kind !== 'applied') {
      return { call, outcome: notMade('The claim was lost before the template was sent.') };
    }
  } catch {
    return { call, outcome: notMade('The template could not be recorded, so it was not sent.') };
  }
  return makeCall(context, send, claim, call);
};

const makeCall = async (
  { chatService, clock, callTimeMs }: SendContext,
  { endBy, request, traceparent }: AddressedSend,
  { claimId }: Claim,
  call: SendCall,
): Promise<CompletedCall> => {
  // The answer to a call that outlives its invocation could not be recorded.
  if (addMs(clock.now(), callTimeMs) > endBy) return { call, outcome: notMade('There was no time left for the call.') };
  const answer = await chatService.send(call, {
    traceparent: childSpan(traceparent, `${claimId} ${call.endpoint}`),
    mayRepeat: () => !hasExpired(request, clock.now()),
  });
  return { call, outcome: sendOutcome(call.endpoint, answer) };
};

/**
 * Records the closed window for later sends with the time of the claim, so that a message that the user writes during
 * the call opens the window again. A failed write does not affect this send.
 */
const recordDeniedWindow = async (
  { contacts, log, metrics }: SendContext,
  send: AddressedSend,
  { claimedAt }: Claim,
): Promise<void> => {
  metrics.count('WindowMisjudged', { direction: 'open' });
  try {
    await contacts.denyWindow(send.contact, claimedAt);
  } catch (error) {
    log.warn('closed window not recorded', { ...logFieldsOf(send), error });
  }
};

/**
 * Decides whether a template follows. If calls are paced, waits for its slot, and then decides again. A function that is
 * killed during this wait leaves its claim, so that the send becomes uncertain.
 */
const decidePacedTemplate = async (
  context: SendContext,
  send: AddressedSend,
  latestStart: Instant,
): Promise<SendDecision | NotMade> => {
  const decided = await decideTemplate(context, send, latestStart);
  if (context.pace === undefined || decided.kind !== 'call') return decided;
  try {
    await context.pace.waitForSlot();
  } catch {
    return notMade('The wait before the template failed, so it was not sent.');
  }
  return decideTemplate(context, send, latestStart);
};

/** Decides with the contact's current state whether a template follows. Returns why not if that cannot be known. */
const decideTemplate = async (
  context: SendContext,
  send: AddressedSend,
  latestStart: Instant,
): Promise<SendDecision | NotMade> => {
  let latest: Contact;
  try {
    // The user may have opted out since the contact was read, and an operator may have stopped sending.
    latest = await repeatUntil(latestStart, () => readWithOptOuts(context, send.contact), context);
  } catch {
    return notMade('The contact could not be read again, so no template was sent.');
  }
  const { stopped } = context.accountView;
  if (stopped !== undefined) return notMade(`${stopped.why} No template was sent.`);
  const closed = 'The chat service reported the window closed (error 201).';
  return decideOutsideWindow(send.request, latest, context.clock.now(), context.rules, closed);
};

type NotMade = Extract<SendOutcome, { kind: 'not-done' }>;

const notMade = (explanation: string): NotMade => ({ kind: 'not-done', cause: 'unavailable', explanation });
