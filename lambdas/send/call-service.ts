import type { Contact } from '../domain/contact.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import { type Claim, logFieldsOf, type QueuedSend } from '../domain/send.ts';
import type { SendCall } from '../domain/send-call.ts';
import { decideOutsideWindow, type FinalDecision, type SendDecision, type SendRules } from '../domain/send-decision.ts';
import { type SendOutcome, sendOutcome } from '../domain/send-outcome.ts';
import { hasExpired } from '../domain/send-request.ts';
import { describeStop } from '../domain/sending-stop.ts';
import { childSpan } from '../domain/trace-context.ts';
import type { ChatService, Clock, ContactRepository, Log, Metrics, SendRepository, Sleep } from '../ports.ts';
import { repeatUntil } from '../runtime/time-budget.ts';
import type { CallPace } from './call-pace.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

export interface CallServiceOptions {
  readonly contacts: Pick<ContactRepository, 'denyWindow'>;
  readonly breaker: Pick<CircuitBreaker, 'readContact' | 'stop'>;
  readonly sends: Pick<SendRepository, 'replaceCall'>;
  readonly chatService: Pick<ChatService, 'send'>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
  /** How long a call may take, including a retry with a refreshed token and the write of its outcome. */
  readonly callTimeMs: number;
  /** The pace of calls in this process. @default no limit */
  readonly pace?: CallPace | undefined;
}

/** The last call made, and its outcome. */
export interface CompletedCall {
  readonly call: SendCall;
  readonly outcome: SendOutcome;
}

/**
 * Creates the function that calls the chat service. If the service reports the window closed although Parley's record
 * shows it open, the function falls back to a template, which it records before making the call. Without a template, it
 * returns the decision not to send.
 */
export const createCallService = (options: CallServiceOptions) => {
  const { breaker, sends, chatService, clock, rules, callTimeMs, pace } = options;

  const makeCall = async (
    { endBy, request, traceparent }: QueuedSend,
    { claimId }: Claim,
    call: SendCall,
  ): Promise<CompletedCall> => {
    // The answer to a call that outlives its invocation could not be recorded.
    if (addMs(clock.now(), callTimeMs) > endBy)
      return { call, outcome: notMade('There was no time left for the call.') };
    const answer = await chatService.send(call, {
      traceparent: childSpan(traceparent, `${claimId} ${call.endpoint}`),
      mayRepeat: () => !hasExpired(request, clock.now()),
    });
    return { call, outcome: sendOutcome(call.endpoint, answer) };
  };

  /** Decides with the contact's current state whether a template follows. Returns why not if that cannot be known. */
  const decideTemplate = async (send: QueuedSend, latestStart: Instant): Promise<SendDecision | NotMade> => {
    let latest: Contact;
    try {
      // The user may have opted out since the contact was read, and an operator may have stopped sending.
      latest = await repeatUntil(latestStart, () => breaker.readContact(send.contact), options);
    } catch {
      return notMade('The contact could not be read again, so no template was sent.');
    }
    const stop = breaker.stop();
    if (stop !== undefined) return notMade(`${describeStop(stop)} No template was sent.`);
    const closed = 'The chat service reported the window closed (error 201).';
    return decideOutsideWindow(send.request, latest, clock.now(), rules, closed);
  };

  /**
   * Waits for the template's slot, if one follows, and then decides again. A function that is killed during this wait
   * leaves its claim, so that the send becomes uncertain.
   */
  const decidePacedTemplate = async (
    send: QueuedSend,
    latestStart: Instant,
    slots: CallPace,
  ): Promise<SendDecision | NotMade> => {
    const decided = await decideTemplate(send, latestStart);
    if (decided.kind !== 'call') return decided;
    try {
      await slots.waitForSlot();
    } catch {
      return notMade('The wait before the template failed, so it was not sent.');
    }
    return decideTemplate(send, latestStart);
  };

  return async (send: QueuedSend, claim: Claim): Promise<CompletedCall | FinalDecision> => {
    const first = await makeCall(send, claim, claim.call);
    if (first.outcome.kind !== 'window-closed' || claim.call.endpoint === 'intent/v2') return first;
    await recordDeniedWindow(options, send, claim);
    const latestStart = addMs(send.endBy, -callTimeMs);
    const fallback = await (pace === undefined
      ? decideTemplate(send, latestStart)
      : decidePacedTemplate(send, latestStart, pace));
    if (fallback.kind === 'not-done') return { call: claim.call, outcome: fallback };
    if (fallback.kind !== 'call') return fallback;
    const { call, why: decision } = fallback;
    try {
      const replaceCall = () => sends.replaceCall(send.request.requestId, claim.claimId, { call, decision });
      const replaced = await repeatUntil(latestStart, replaceCall, options);
      if (replaced.kind !== 'applied') {
        return { call, outcome: notMade('The claim was lost before the template was sent.') };
      }
    } catch {
      return { call, outcome: notMade('The template could not be recorded, so it was not sent.') };
    }
    return makeCall(send, claim, call);
  };
};

type NotMade = Extract<SendOutcome, { kind: 'not-done' }>;

const notMade = (explanation: string): NotMade => ({ kind: 'not-done', cause: 'unavailable', explanation });

/**
 * Records the closed window for later sends with the time of the claim, so that a message that the user writes during
 * the call opens the window again. A failed write does not affect this send.
 */
const recordDeniedWindow = async (
  { contacts, log, metrics }: CallServiceOptions,
  send: QueuedSend,
  { claimedAt }: Claim,
): Promise<void> => {
  metrics.count('WindowMisjudged', { direction: 'open' });
  try {
    await contacts.denyWindow(send.contact, claimedAt);
  } catch (error) {
    log.warn('closed window not recorded', { ...logFieldsOf(send), error });
  }
};
