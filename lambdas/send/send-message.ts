import type { Contact } from '../domain/contact.ts';
import { addMs } from '../domain/instant.ts';
import {
  decideOutsideWindow,
  decideSend,
  type SendCall,
  type SendDecision,
  type SendRules,
} from '../domain/send-decision.ts';
import { type SendOutcome, sendOutcome } from '../domain/send-outcome.ts';
import type { Claim, QueuedSend } from '../domain/send-state.ts';
import type { ChatService, Clock, Log, Metrics, Randomness, SendDeadLetters, SendStore } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import { createConcludeSend } from './conclude-send.ts';
import { createResumeHeld } from './resume-held.ts';

export interface SendMessagePorts {
  readonly store: SendStore;
  readonly chatService: ChatService;
  readonly deadLetters: SendDeadLetters;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
  /** How long a claim is respected: longer than a function that holds one can live. */
  readonly leaseMs: number;
}

type CallDecision = Extract<SendDecision, { kind: 'call' }>;

/** What was called last, what came of it, and why it was called. */
interface Called {
  readonly call: SendCall;
  readonly why: string;
  readonly outcome: SendOutcome;
}

/**
 * Sends a queued request, or says why not: decided on the contact as it stands now, claimed before the call, concluded
 * after it. A request that comes twice finds its own claim and is not sent again.
 */
export const createSendMessage = (ports: SendMessagePorts) => {
  const { store, clock, rules } = ports;
  const concludeSend = createConcludeSend(ports);
  const resumeHeld = createResumeHeld(ports);

  return async (send: QueuedSend): Promise<MessageResult> => {
    const contact = await store.readContact(send.contact);
    const decision = decideSend(send.request, contact, clock.now(), rules);
    if (decision.kind !== 'call') {
      const conclusion = uncalled(decision, clock.now());
      const settled = await store.settle(send, conclusion);
      return settled.kind === 'held' ? resumeHeld(send, settled.send) : concludeSend.report(send, conclusion);
    }
    const claim = newClaim(ports, decision);
    const claimed = await store.claim(send, claim, { uncertainToo: send.request.onUncertain === 'resend' });
    if (claimed.kind === 'held') return resumeHeld(send, claimed.send);
    const called = await callService(ports, send, contact, decision);
    return 'outcome' in called
      ? concludeSend.called(send, claim.claimId, claimed.attempt, called)
      : concludeSend.conclude(send, claim.claimId, uncalled(called, clock.now()));
  };
};

const uncalled = (decision: Exclude<SendDecision, CallDecision>, at: string) =>
  decision.kind === 'refuse'
    ? { state: 'refused' as const, at, code: decision.code, why: decision.why }
    : { state: 'expired' as const, at, why: decision.why };

const newClaim = ({ clock, randomness, leaseMs }: SendMessagePorts, { call, why }: CallDecision): Claim => {
  const claimedAt = clock.now();
  return { claimId: randomness.newId(), claimedAt, leaseUntil: addMs(claimedAt, leaseMs), call, why };
};

/** Calls the chat service; when it calls the window closed against our record, falls back to a template. */
const callService = async (
  ports: SendMessagePorts,
  send: QueuedSend,
  contact: Contact,
  { call, why }: CallDecision,
): Promise<Called | Exclude<SendDecision, CallDecision>> => {
  const outcome = sendOutcome(await ports.chatService.send(call));
  if (outcome.kind !== 'window-closed' || call.endpoint === 'intent/v2') return { call, why, outcome };
  await noteMisjudged(ports, send);
  const closed = 'The chat service called the window closed (error 201).';
  const fallback = decideOutsideWindow(send.request, contact, ports.rules, closed);
  if (fallback.kind !== 'call') return fallback;
  return { ...fallback, outcome: sendOutcome(await ports.chatService.send(fallback.call)) };
};

/** A note for later decisions: this one goes on without it. */
const noteMisjudged = async ({ store, clock, log, metrics }: SendMessagePorts, send: QueuedSend): Promise<void> => {
  metrics.count('WindowMisjudged');
  try {
    await store.noteWindowDenied(send.contact, clock.now());
  } catch (error) {
    log.warn('the closed window could not be noted', { requestId: send.request.requestId, error });
  }
};
