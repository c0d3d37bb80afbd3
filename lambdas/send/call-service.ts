import type { Contact } from '../domain/contact.ts';
import type { QueuedSend } from '../domain/send.ts';
import {
  type CallDecision,
  decideOutsideWindow,
  type FinalDecision,
  type SendCall,
  type SendRules,
} from '../domain/send-decision.ts';
import { type SendOutcome, sendOutcome } from '../domain/send-outcome.ts';
import type { ChatService, Clock, ContactRepository, Log, Metrics } from '../ports.ts';

export interface CallServiceOptions {
  readonly contacts: Pick<ContactRepository, 'denyWindow'>;
  readonly chatService: Pick<ChatService, 'send'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
}

/** The last call made, why it was made, and its outcome. */
export interface CompletedCall {
  readonly call: SendCall;
  readonly why: string;
  readonly outcome: SendOutcome;
}

/**
 * Creates the function that calls the chat service. If the service reports the window closed although Parley's record
 * shows it open, the function falls back to a template. Without a template, it returns the decision not to send.
 */
export const createCallService =
  (options: CallServiceOptions) =>
  async (send: QueuedSend, contact: Contact, { call, why }: CallDecision): Promise<CompletedCall | FinalDecision> => {
    const { chatService, clock, rules } = options;
    const outcome = sendOutcome(await chatService.send(call));
    if (outcome.kind !== 'window-closed' || call.endpoint === 'intent/v2') return { call, why, outcome };
    await recordDeniedWindow(options, send);
    const closed = 'The chat service reported the window closed (error 201).';
    const fallback = decideOutsideWindow(send.request, contact, clock.now(), rules, closed);
    if (fallback.kind !== 'call') return fallback;
    return { ...fallback, outcome: sendOutcome(await chatService.send(fallback.call)) };
  };

/** Records the closed window for later sends. A failed write does not affect this send. */
const recordDeniedWindow = async (
  { contacts, clock, log, metrics }: CallServiceOptions,
  send: QueuedSend,
): Promise<void> => {
  metrics.count('WindowMisjudged', { direction: 'open' });
  try {
    await contacts.denyWindow(send.contact, clock.now());
  } catch (error) {
    log.warn('closed window not recorded', { requestId: send.request.requestId, error });
  }
};
