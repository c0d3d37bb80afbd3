import type { Contact } from '../domain/contact.ts';
import { decideOutsideWindow, type SendCall, type SendDecision, type SendRules } from '../domain/send-decision.ts';
import { type SendOutcome, sendOutcome } from '../domain/send-outcome.ts';
import type { QueuedSend } from '../domain/send-state.ts';
import type { ChatService, Clock, Log, Metrics, SendStore } from '../ports.ts';

export interface CallServicePorts {
  readonly store: SendStore;
  readonly chatService: ChatService;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
}

/** What was called last, what came of it, and why it was called. */
export interface Called {
  readonly call: SendCall;
  readonly why: string;
  readonly outcome: SendOutcome;
}

/** Calls the chat service; when it calls the window closed against our record, falls back to a template. */
export const createCallService =
  (ports: CallServicePorts) =>
  async (
    send: QueuedSend,
    contact: Contact,
    { call, why }: Extract<SendDecision, { kind: 'call' }>,
  ): Promise<Called | Exclude<SendDecision, { kind: 'call' }>> => {
    const { chatService, clock, rules } = ports;
    const outcome = sendOutcome(await chatService.send(call));
    if (outcome.kind !== 'window-closed' || call.endpoint === 'intent/v2') return { call, why, outcome };
    await noteMisjudged(ports, send);
    const closed = 'The chat service called the window closed (error 201).';
    const fallback = decideOutsideWindow(send.request, contact, clock.now(), rules, closed);
    if (fallback.kind !== 'call') return fallback;
    return { ...fallback, outcome: sendOutcome(await chatService.send(fallback.call)) };
  };

/** A note for later decisions: this one goes on without it. */
const noteMisjudged = async ({ store, clock, log, metrics }: CallServicePorts, send: QueuedSend): Promise<void> => {
  metrics.count('WindowMisjudged', { direction: 'open' });
  try {
    await store.noteWindowDenied(send.contact, clock.now());
  } catch (error) {
    log.warn('the closed window could not be noted', { requestId: send.request.requestId, error });
  }
};
