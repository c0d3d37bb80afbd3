import { namesAddress } from '../domain/addressed-request.ts';
import type { Contact } from '../domain/contact.ts';
import type { CallDecision, Refusal, SendDecision } from '../domain/decision.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { AddressedSend, QueuedSend } from '../domain/send.ts';
import { decideSend } from '../domain/send-decision.ts';
import { isTrusted } from '../domain/sending-stop.ts';
import { isClosedByMargin } from '../domain/window.ts';
import { type Addressed, addressRequest } from '../runtime/address-request.ts';
import type { MessageResult } from '../runtime/queue-handler.ts';
import { readSince } from '../runtime/read-since.ts';
import { repeatUntil } from '../runtime/time-budget.ts';
import { blockedByCircuit } from './account-view.ts';
import { callService } from './call-service.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { ObservedCall } from './circuit-probe.ts';
import { type ClaimedSend, claimSend, giveBack } from './claim-send.ts';
import { type ContactCheck, createCheckContact } from './contact-check/check-contact.ts';
import { readContact, readWithOptOuts } from './read-contact.ts';
import { recordCall, recordDecision } from './record-result.ts';
import { endWithoutCall, recordWaiting, waitBlocked } from './record-without-call.ts';
import { retryBlocked, retryLater } from './retry-later.ts';
import type { SendContext } from './send-context.ts';

/** A contact that was read longer ago than this is read again before the decision. */
const MAX_CONTACT_AGE_MS = 1_000;

const RETRY_NOW: MessageResult = { kind: 'retry', afterMs: 0 };

/** A contact, and what was decided from it. */
interface Considered<Decision extends SendDecision = SendDecision> {
  readonly contact: Contact;
  readonly knownAt: Instant;
  readonly decision: Decision;
}

/** What happens to the queue message, and what the chat service answered if it was called. */
interface Attempted {
  readonly result: MessageResult;
  readonly observed?: ObservedCall;
}

/**
 * Creates the function that sends a request, or records why it was not sent. It decides based on the contact's current
 * state, claims the send before the call, and records the outcome afterward. The claim prevents a request that is
 * delivered twice from being sent again.
 */
export const createSendMessage = (context: SendContext) => {
  const { clock, rules, accountView, metrics } = context;
  const breaker = createCircuitBreaker(context);
  const checkContact = createCheckContact(context);

  return async (received: QueuedSend): Promise<MessageResult> => {
    const addressed = await addressSend(context, received);
    if (addressed.kind === 'refuse') return endWithoutCall(context, received, addressed);
    const knownAt = clock.now();
    const contact = await readContact(context, addressed.contact);
    const request = await readSince(context.messages, addressed.request, addressed.contact, contact);
    const send = { ...received, contact: addressed.contact, request };
    const first = consider(context, send, contact, knownAt);
    if (isClosedByMargin(contact, clock.now(), rules.windowMarginMs)) {
      metrics.count('WindowMisjudged', { direction: 'closed' });
    }
    if (first.decision.kind !== 'call') return endWithoutCall(context, send, first.decision);

    const admitted = await breaker.admit(send);
    if (admitted.kind === 'blocked') return waitBlocked(context, send, admitted);
    using slot = admitted;
    const check = slot.isBlind ? undefined : checkContact;
    const { result, observed } = await attemptCall(context, check, send, first);
    await slot.conclude(observed);
    const { openCircuit } = accountView;
    const isBlocked = observed !== undefined && result.kind === 'retry' && openCircuit !== undefined;
    return isBlocked ? retryBlocked(context, send, blockedByCircuit(openCircuit)) : result;
  };
};

/** Chooses the address of a request to a customer. A request that was claimed before goes to the same address or to none. */
const addressSend = async (
  { contacts, sends, contactDefaults, clock }: SendContext,
  { request }: QueuedSend,
): Promise<Addressed | Refusal> => {
  const earlier = namesAddress(request) ? undefined : await sends.read(request.requestId);
  return addressRequest(contacts, contactDefaults, request, clock.now(), earlier?.contact);
};

/** Makes the call of a send that is admitted, unless something has changed. */
const attemptCall = async (
  context: SendContext,
  check: ContactCheck | undefined,
  received: AddressedSend,
  first: Considered,
): Promise<Attempted> => {
  const checked = await refreshAndCheck(context, check, received, first);
  if ('result' in checked) return checked;
  const claimed = await claimSend(context, received, checked.decision, latestStart(context, received));
  if ('result' in claimed) return claimed;
  const ended = await decideAgain(context, claimed, checked.contact);
  if (ended !== undefined) return { result: ended };
  const { send, claim } = claimed;
  const completed = await callService(context, send, claim);
  const result = await recordCall(context, claimed, completed);
  return { result, observed: { via: 'send', outcome: completed.outcome, calledAt: claim.claimedAt } };
};

/**
 * Reads the contact again if it may have changed while the request waited for other calls, and checks its number if a
 * template opens the conversation.
 *
 * @param check undefined for a blind probe, which is made because the contact check fails
 */
const refreshAndCheck = async (
  context: SendContext,
  check: ContactCheck | undefined,
  send: AddressedSend,
  first: Considered,
): Promise<Considered<CallDecision> | Attempted> => {
  const { clock } = context;
  const current = await refresh(context, send, first);
  if (current.decision.kind !== 'call') return { result: await endWithoutCall(context, send, current.decision) };
  const startedAt = clock.now();
  // Waiting for other calls may have used up this invocation's time.
  if (startedAt > latestStart(context, send)) return { result: RETRY_NOW };
  const checked = await check?.(send, current.contact, current.decision);
  if (checked?.kind === 'unavailable') {
    const { failure, afterMs, isRepeated } = checked;
    const why = `The number could not be checked on the platform: ${failure.explanation}`;
    const result = (await recordWaiting(context, send, why)) ?? retryLater(context, send, afterMs);
    return isRepeated ? { result } : { result, observed: { via: 'check', outcome: failure, calledAt: startedAt } };
  }
  const isUnchanged = checked === undefined || checked.contact === current.contact;
  const reconsidered = isUnchanged ? current : consider(context, send, checked.contact, startedAt);
  const { decision, ...latest } = await refresh(context, send, reconsidered);
  if (decision.kind !== 'call') return { result: await endWithoutCall(context, send, decision) };
  const { stopped } = context.accountView;
  if (stopped !== undefined) return { result: await waitBlocked(context, send, stopped) };
  // The contact check may have used it up.
  return clock.now() > latestStart(context, send) ? { result: RETRY_NOW } : { ...latest, decision };
};

/** Reads the contact again, and decides again, if too much time has passed since. */
const refresh = async (context: SendContext, send: AddressedSend, considered: Considered): Promise<Considered> => {
  const now = context.clock.now();
  const isRecent = now < addMs(considered.knownAt, MAX_CONTACT_AGE_MS) && isTrusted(context.accountView.readAt, now);
  return isRecent ? considered : consider(context, send, await readContact(context, send.contact), now);
};

const consider = (
  { clock, rules }: SendContext,
  { request }: AddressedSend,
  contact: Contact,
  knownAt: Instant,
): Considered => ({ contact, knownAt, decision: decideSend(request, contact, clock.now(), rules) });

/** The latest time to start a call that a second call may follow: a template after error 201. */
const latestStart = ({ callTimeMs }: SendContext, { endBy }: QueuedSend): Instant => addMs(endBy, -2 * callTimeMs);

/**
 * Decides again, so that an opt-out recorded between the read of the contact and the claim counts. Gives the claim back
 * if the send must wait. Returns the result unless the call is still to be made.
 */
const decideAgain = async (
  context: SendContext,
  { send, claim }: ClaimedSend,
  contact: Contact,
): Promise<MessageResult | undefined> => {
  let decided: SendDecision;
  try {
    decided = await repeatUntil(latestStart(context, send), () => decideNow(context, send, contact), context);
  } catch (error) {
    await giveBack(context, send, claim, 'The contact could not be read again, so no call was made.');
    throw error;
  }
  if (decided.kind !== 'call') return recordDecision(context, send, claim.claimId, decided);
  const { stopped } = context.accountView;
  if (stopped !== undefined) {
    await giveBack(context, send, claim, `${stopped.why} No call was made.`);
    return retryBlocked(context, send, stopped);
  }
  if (decided.call.endpoint !== claim.call.endpoint) {
    await giveBack(context, send, claim, `The decision changed before the call, so no call was made: ${decided.why}`);
    return RETRY_NOW;
  }
  return undefined;
};

/**
 * Reads the contact again if its consents no longer allow the call, because the user may have written since. The claim
 * may have taken long, so an operator may have stopped sending since.
 */
const decideNow = async (context: SendContext, send: AddressedSend, contact: Contact): Promise<SendDecision> => {
  const { contacts, accountView, clock, rules } = context;
  const decide = (latest: Contact) => decideSend(send.request, latest, clock.now(), rules);
  if (!isTrusted(accountView.readAt, clock.now())) {
    return decide(await readWithOptOuts(context, send.contact));
  }
  // The customer of an address, a condition, and a handover need more than the consents.
  const { customerId, unless, automated } = send.request;
  if ((customerId ?? unless) === undefined && !(automated && rules.operators !== undefined)) {
    const decision = decide({ ...contact, consents: await contacts.readConsents(send.contact) });
    if (decision.kind === 'call') return decision;
  }
  return decide((await contacts.read(send.contact, clock.now())) ?? {});
};
