import type { AccountRef } from '../domain/circuit-breaker.ts';
import type { Contact } from '../domain/contact.ts';
import { isServiceAnswer } from '../domain/contact-check.ts';
import { LoggableError, ParleyError } from '../domain/errors.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import { type Claim, mayResend, type QueuedSend, type SendRecord } from '../domain/send.ts';
import { formatNumber } from '../domain/send-call.ts';
import {
  type CallDecision,
  decideSend,
  type FinalDecision,
  type SendDecision,
  type SendRules,
} from '../domain/send-decision.ts';
import { describeStop, type Stop } from '../domain/sending-stop.ts';
import { isClosedByMargin } from '../domain/window.ts';
import type {
  ChatService,
  CircuitRepository,
  Clock,
  ContactRepository,
  Log,
  MessageRepository,
  Metrics,
  Randomness,
  SendDeadLetterQueue,
  SendRepository,
  Sleep,
} from '../ports.ts';
import type { MessageResult } from '../runtime/queue-handler.ts';
import { readSince } from '../runtime/read-since.ts';
import { repeatUntil } from '../runtime/time-budget.ts';
import type { AccountView } from './account-view.ts';
import type { CallPace } from './call-pace.ts';
import { createCallService } from './call-service.ts';
import { createCheckContact } from './check-contact.ts';
import { createCircuitBreaker, type Held, type ObservedCall } from './circuit-breaker.ts';
import { createRecordResult, resultOf } from './record-result.ts';
import { createResumeSend, SOON } from './resume-send.ts';

export interface SendMessageOptions {
  readonly contacts: ContactRepository;
  readonly sends: SendRepository;
  readonly messages: Pick<MessageRepository, 'readOrigin' | 'recordOutbound'>;
  readonly circuits: CircuitRepository;
  readonly account: AccountRef;
  readonly accountView: AccountView;
  readonly chatService: ChatService;
  readonly deadLetters: SendDeadLetterQueue;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
  /** How long a claim lasts; must be longer than an invocation. */
  readonly leaseMs: number;
  /** How long a probe of an open circuit breaker may take, including its writes. */
  readonly probeLeaseMs: number;
  /** The maximum number of concurrent calls in this process. */
  readonly maxConcurrentCalls: number;
  /** The pace of calls in this process. @default no limit */
  readonly pace?: CallPace | undefined;
  /** How long a call may take, including a retry with a refreshed token and the write of its outcome. */
  readonly callTimeMs: number;
}

/** A contact that was read longer ago than this is read again before the decision. */
const MAX_CONTACT_AGE_MS = 1_000;

/**
 * Creates the function that sends a request, or records why it was not sent. It decides based on the contact's current
 * state, claims the send before the call, and records the outcome afterward. The claim prevents a request that is
 * delivered twice from being sent again.
 */
export const createSendMessage = (options: SendMessageOptions) => {
  const { contacts, sends, messages, chatService, clock, rules, metrics, callTimeMs } = options;
  const breaker = createCircuitBreaker(options);
  const checkContact = createCheckContact(options);
  const callService = createCallService({ ...options, breaker });
  const recordResult = createRecordResult(options);
  const resumeSend = createResumeSend(options);

  const endWithoutCall = async (send: QueuedSend, decision: FinalDecision): Promise<MessageResult> => {
    const result = resultOf(decision, clock.now());
    const recorded = await sends.recordWithoutCall(send, result);
    if (recorded.kind === 'missing')
      throw new LoggableError(`The send ${send.request.requestId} could not be recorded.`);
    return recorded.kind === 'conflict' ? resumeSend(send, recorded.send) : recordResult.report(send, result);
  };

  /**
   * Records that a request waits, unless that is already recorded or the send is uncertain and waits to be resent.
   * Returns the result if the send has ended.
   */
  const recordWaiting = async (send: QueuedSend, decision: string): Promise<MessageResult | undefined> => {
    const result = { state: 'waiting' as const, at: clock.now(), decision };
    const recorded = await sends.recordWithoutCall(send, result);
    if (recorded.kind === 'conflict' && !mayBeSentLater(send, recorded.send)) {
      return resumeSend(send, recorded.send);
    }
    if (recorded.kind === 'applied') recordResult.report(send, result);
    return undefined;
  };

  const waitWhileHeld = async (send: QueuedSend, held: Held): Promise<MessageResult> => {
    if (held.by === 'operator') return waitForOperator(send, held.stop);
    const { circuit } = held;
    const decision = `The circuit breaker has been open since ${circuit.openedAt}: ${circuit.why}`;
    return (await recordWaiting(send, decision)) ?? recordResult.waitForCircuit(send, circuit);
  };

  const waitForOperator = async (send: QueuedSend, stop: Stop): Promise<MessageResult> =>
    (await recordWaiting(send, describeStop(stop))) ?? recordResult.waitForOperator(send, stop);

  const latestStart = ({ endBy }: QueuedSend): Instant => addMs(endBy, -2 * callTimeMs);

  /** Gives a claim back for which no call was made. */
  const giveBack = async ({ request, endBy }: QueuedSend, { claimId }: Claim, outcome: string): Promise<void> => {
    const result = { state: 'waiting' as const, at: clock.now(), outcome };
    await repeatUntil(endBy, () => sends.recordResult(request.requestId, claimId, result), options);
  };

  /**
   * Claims the send. If the response is lost, repeats the claim with the same id. If the claim still cannot be
   * confirmed, records that the send waits, because no call was made.
   */
  const claimSend = async (send: QueuedSend, claim: Claim): Promise<Awaited<ReturnType<SendRepository['claim']>>> => {
    const { onUncertain } = send.request;
    try {
      const resend = onUncertain === 'resend';
      return await repeatUntil(latestStart(send), () => sends.claim(send, claim, { resend }), options);
    } catch (error) {
      if (error instanceof ParleyError) throw error;
      await giveBack(send, claim, 'The claim could not be confirmed, so no call was made.');
      throw error;
    }
  };

  /**
   * Reads the contact again if its consents no longer allow the call, because the user may have written since. The claim
   * may have taken long, so that an operator's stop must be looked for again.
   */
  const decideNow = async (send: QueuedSend, contact: Contact): Promise<SendDecision> => {
    if (breaker.isAccountStale()) {
      return decideSend(send.request, await breaker.readContact(send.contact), clock.now(), rules);
    }
    // A condition or a handover needs more than the consents.
    const { unless, automated } = send.request;
    if (unless === undefined && !(automated && rules.operators !== undefined)) {
      const consents = await contacts.readConsents(send.contact);
      const decision = decideSend(send.request, { ...contact, consents }, clock.now(), rules);
      if (decision.kind === 'call') return decision;
    }
    return decideSend(send.request, (await contacts.read(send.contact, clock.now())) ?? {}, clock.now(), rules);
  };

  /** Decides again, so that an opt-out recorded between the read of the contact and the claim counts. */
  const decideAgain = async (send: QueuedSend, claim: Claim, contact: Contact): Promise<SendDecision> => {
    try {
      return await repeatUntil(latestStart(send), () => decideNow(send, contact), options);
    } catch (error) {
      await giveBack(send, claim, 'The contact could not be read again, so no call was made.');
      throw error;
    }
  };

  const claimAndCall = async (
    received: QueuedSend,
    contact: Contact,
    decision: CallDecision,
  ): Promise<{ readonly result: MessageResult; readonly observed?: ObservedCall }> => {
    const claim = createClaim(options, decision);
    const claimed = await claimSend(received, claim);
    if (claimed.kind === 'missing')
      throw new LoggableError(`The send ${received.request.requestId} could not be claimed.`);
    if (claimed.kind === 'conflict') {
      // The clock of the function that claimed it before may be ahead.
      const isLater = mayBeSentLater(received, claimed.send);
      return { result: isLater ? SOON : await resumeSend(received, claimed.send) };
    }
    // Another writer may have recorded the send first, in another trace.
    const send = { ...received, traceparent: claimed.traceparent };
    const decided = await decideAgain(send, claim, contact);
    const stop = breaker.stop();
    if (decided.kind === 'call' && stop !== undefined) {
      await giveBack(send, claim, `${describeStop(stop)} No call was made.`);
      return { result: recordResult.waitForOperator(send, stop) };
    }
    if (decided.kind !== 'call') return { result: await recordResult.recordDecision(send, claim.claimId, decided) };
    if (decided.call.endpoint !== decision.call.endpoint) {
      await giveBack(send, claim, `The decision changed before the call, so no call was made: ${decided.why}`);
      return { result: { kind: 'retry', afterMs: 0 } };
    }
    const completed = await callService(send, claim);
    const calledAt = claim.claimedAt;
    if (!('outcome' in completed)) {
      const result = await recordResult.recordDecision(send, claim.claimId, completed);
      return { result, observed: { via: 'send', outcome: { kind: 'window-closed' }, calledAt } };
    }
    const result = await recordResult.recordCall(send, claim, claimed, completed);
    return { result, observed: { via: 'send', outcome: completed.outcome, calledAt } };
  };

  /** Returns the current contact, which may have changed while the request waited for other calls. */
  const readAgain = async ({ contact: ref }: QueuedSend, contact: Contact, readAt: Instant): Promise<Contact> =>
    clock.now() < addMs(readAt, MAX_CONTACT_AGE_MS) && !breaker.isAccountStale() ? contact : breaker.readContact(ref);

  const checkAndCall = async (
    send: QueuedSend,
    contact: Contact,
    { isBlind }: { readonly isBlind: boolean },
  ): Promise<{ readonly result: MessageResult; readonly observed?: ObservedCall }> => {
    const calledAt = clock.now();
    const decision = decideSend(send.request, contact, calledAt, rules);
    if (decision.kind !== 'call') return { result: await endWithoutCall(send, decision) };
    // Waiting for other calls may have used up this invocation's time.
    if (calledAt > latestStart(send)) return { result: { kind: 'retry', afterMs: 0 } };
    // A blind probe is made because the contact check fails.
    const checked = isBlind ? { kind: 'contact' as const, contact } : await checkContact(send, contact, decision);
    if (checked.kind === 'unavailable') {
      const { failure, afterMs, isRepeated } = checked;
      const why = `The number could not be checked on the platform: ${failure.explanation}`;
      const result = (await recordWaiting(send, why)) ?? recordResult.retry(send, afterMs);
      return isRepeated ? { result } : { result, observed: { via: 'check', outcome: failure, calledAt } };
    }
    const latest = await readAgain(send, checked.contact, calledAt);
    const decided = decideSend(send.request, latest, clock.now(), rules);
    if (decided.kind !== 'call') return { result: await endWithoutCall(send, decided) };
    const stop = breaker.stop();
    if (stop !== undefined) return { result: await waitForOperator(send, stop) };
    // The contact check may have used it up.
    if (clock.now() > latestStart(send)) return { result: { kind: 'retry', afterMs: 0 } };
    return claimAndCall(send, latest, decided);
  };

  const sendMessage = async (received: QueuedSend): Promise<MessageResult> => {
    const readAt = clock.now();
    const contact = await breaker.readContact(received.contact);
    const request = await readSince(messages, received.request, received.contact, contact);
    const send = { ...received, request };
    const decision = decideSend(send.request, contact, clock.now(), rules);
    if (isClosedByMargin(contact, clock.now(), rules.windowMarginMs)) {
      metrics.count('WindowMisjudged', { direction: 'closed' });
    }
    if (decision.kind !== 'call') return endWithoutCall(send, decision);

    const admission = await breaker.run<MessageResult>({
      contact: send.contact,
      call: async (probe) => checkAndCall(send, await readAgain(send, contact, readAt), probe),
      isReachable: async () => {
        if (addMs(clock.now(), callTimeMs) > send.endBy) return false;
        const channel = formatNumber(rules.chatChannelNumber, rules.numberFormat);
        return isServiceAnswer(await chatService.checkContacts(channel, [channel]));
      },
    });
    if (admission.kind === 'held') return waitWhileHeld(send, admission);
    const { result, open } = admission;
    // While an operator's stop lasts, the circuit breaker does not matter.
    const isHeld = open !== undefined && breaker.stop() === undefined;
    return isHeld && result.kind === 'retry' ? recordResult.waitForCircuit(send, open) : result;
  };

  return {
    sendMessage,
    /** Records that a request has waited too long, without sending it. */
    expireSend: (send: QueuedSend, why: string): Promise<MessageResult> =>
      endWithoutCall(send, { kind: 'expire', why }),
  };
};

const mayBeSentLater = ({ body, request }: QueuedSend, stored: SendRecord): boolean => {
  const { state, unknownOutcomes, isAnswered = false } = stored;
  const isResent =
    state === 'uncertain' && request.onUncertain === 'resend' && mayResend(unknownOutcomes + 1, isAnswered);
  return stored.body === body && (state === 'waiting' || isResent);
};

const createClaim = (
  { clock, randomness, leaseMs }: SendMessageOptions,
  { call, why: decision }: CallDecision,
): Claim => {
  const claimedAt = clock.now();
  return { claimId: randomness.newId(), claimedAt, leaseUntil: addMs(claimedAt, leaseMs), call, decision };
};
