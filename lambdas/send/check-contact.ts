import { backoffMs } from '../domain/backoff.ts';
import type { Contact } from '../domain/contact.ts';
import { isCheckDue } from '../domain/contact-check.ts';
import { retryAfterMs } from '../domain/retry-after.ts';
import type { SendDecision, SendRules } from '../domain/send-decision.ts';
import type { QueuedSend } from '../domain/send-state.ts';
import type { ChatService, Clock, Log, Metrics, Randomness, SendStore } from '../ports.ts';
import { createContactChecker } from './contact-checker.ts';

export interface CheckContactPorts {
  readonly store: SendStore;
  readonly chatService: ChatService;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rules: SendRules;
}

/** The contact with what the check said of it; or the check cannot be had now. */
export type ContactChecked =
  | { readonly kind: 'contact'; readonly contact: Contact }
  | { readonly kind: 'again'; readonly afterMs: number };

/** A check says nothing of how often the request was tried: its pause is that of a fifth attempt. */
const PAUSE_LIKE_ATTEMPT = 5;

/** Before a template opens a conversation, asks whether the number is on the platform, where the stage says so. */
export const createCheckContact = (ports: CheckContactPorts) => {
  const { store, clock, randomness, log, metrics, rules } = ports;
  const check = createContactChecker(ports);

  return async (
    send: QueuedSend,
    contact: Contact,
    { call }: Extract<SendDecision, { kind: 'call' }>,
  ): Promise<ContactChecked> => {
    const unchanged = { kind: 'contact' as const, contact };
    if (rules.contactCheck !== 'beforeFirstTemplate' || call.endpoint !== 'intent/v2') return unchanged;
    if (!isCheckDue(contact, clock.now())) return unchanged;
    const { requestId, chatChannelNumber, platformContactId } = send.request;
    const answer = await check(chatChannelNumber ?? rules.chatChannelNumber, platformContactId);
    switch (answer.kind) {
      case 'checked':
        await store.noteChecked(send.contact, answer.checked);
        return { kind: 'contact', contact: { ...contact, ...answer.checked } };
      case 'not-done': {
        log.warn('contact check not done; the request comes again', { requestId, why: answer.explanation });
        const asked = retryAfterMs(answer.retryAfter, Date.parse(clock.now()));
        return { kind: 'again', afterMs: asked ?? backoffMs(PAUSE_LIKE_ATTEMPT, randomness.fraction()) };
      }
      case 'refused':
        // A service without the check must not keep messages from going out.
        metrics.count('ContactCheckRefused');
        log.warn('contact check refused; the request goes on without it', { requestId, why: answer.explanation });
        return unchanged;
    }
  };
};
