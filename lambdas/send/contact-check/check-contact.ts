import { isPhone } from '../../domain/address.ts';
import { backoffMs, parseRetryAfterMs } from '../../domain/backoff.ts';
import type { Contact } from '../../domain/contact.ts';
import {
  type CheckedContact,
  type ContactCheckOutcome,
  contactCheckOutcome,
  digitsOf,
  isCheckDue,
} from '../../domain/contact-check.ts';
import type { CallDecision } from '../../domain/decision.ts';
import { addMs, type Instant } from '../../domain/instant.ts';
import { type AddressedSend, logFieldsOf } from '../../domain/send.ts';
import { formatNumber } from '../../domain/send-call.ts';
import type { SendContext } from '../send-context.ts';

/** The contact with the check's result, or when to retry because the check is unavailable. */
export type ContactChecked =
  | { readonly kind: 'contact'; readonly contact: Contact }
  | {
      readonly kind: 'unavailable';
      readonly failure: CheckFailure;
      readonly afterMs: number;
      /** No check was made, because an earlier one was unavailable a moment ago. */
      readonly isRepeated: boolean;
    };

/** Checks a contact, if the decision requires that. */
export type ContactCheck = (send: AddressedSend, contact: Contact, decision: CallDecision) => Promise<ContactChecked>;

type CheckFailure = Extract<ContactCheckOutcome, { kind: 'unavailable' }>['failure'];

/** The check does not count its attempts. It always backs off as after a fifth attempt. */
const BACKOFF_ATTEMPT = 5;

/**
 * Creates the function that checks whether a number is on the platform before a template opens a conversation. Returns
 * undefined unless the stage's settings enable the check.
 */
export const createCheckContact = (context: SendContext): ContactCheck | undefined => {
  const { contacts, clock, randomness, log, metrics, rules } = context;
  if (rules.contactCheck !== 'beforeFirstTemplate') return undefined;
  const check = createBatchingCheck(context);

  return async (send, contact, { call }) => {
    const unchanged = { kind: 'contact' as const, contact };
    if (call.endpoint !== 'intent/v2') return unchanged;
    if (!isCheckDue(contact, clock.now())) return unchanged;
    const { chatChannelNumber = rules.chatChannelNumber, platformContactId } = send.request;
    // The ids of other channels are not numbers, and the check supports only numbers.
    if (!isPhone(platformContactId)) return unchanged;
    const format = rules.numberFormat;
    const answer = await check(formatNumber(chatChannelNumber, format), formatNumber(platformContactId, format));
    switch (answer.kind) {
      case 'checked':
        await contacts.recordCheck(send.contact, answer.checked);
        return { kind: 'contact', contact: { ...contact, ...answer.checked } };
      case 'unavailable': {
        log.warn('contact check unavailable; retrying the request later', {
          ...logFieldsOf(send),
          why: answer.failure.explanation,
        });
        const requestedMs = parseRetryAfterMs(answer.retryAfter, Date.parse(clock.now())) ?? 0;
        const afterMs = Math.max(requestedMs, backoffMs(BACKOFF_ATTEMPT, randomness.random()));
        return { kind: 'unavailable', failure: answer.failure, afterMs, isRepeated: answer.isRepeated };
      }
      case 'rejected':
        // Messages must be sent even if the chat service does not support the check.
        metrics.count('ContactCheckRejected');
        log.warn('contact check rejected; sending the request without it', {
          ...logFieldsOf(send),
          why: answer.explanation,
        });
        return unchanged;
    }
  };
};

type NumberCheck =
  | { readonly kind: 'checked'; readonly checked: CheckedContact }
  | Extract<ContactCheckOutcome, { kind: 'rejected' }>
  | (UnavailableCheck & { readonly isRepeated: boolean });

type UnavailableCheck = Extract<ContactCheckOutcome, { kind: 'unavailable' }>;

/** How long a failed check counts for its channel, so that a batch does not wait for the check once per message. */
const UNAVAILABLE_MS = 5_000;

const NOT_UNDERSTOOD: NumberCheck = {
  kind: 'rejected',
  explanation: "The chat service's result of the contact check cannot be interpreted",
};

interface WaitingNumber {
  readonly number: string;
  readonly resolve: (check: NumberCheck) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Checks many numbers per call. Numbers that arrive while a call is in flight go into the next call together, so a
 * batch of any size needs at most two calls per channel.
 */
const createBatchingCheck = ({ chatService, clock }: SendContext) => {
  const waiting = new Map<string, WaitingNumber[]>();
  const busy = new Set<string>();
  const unavailable = new Map<string, { readonly outcome: UnavailableCheck; readonly until: Instant }>();

  const checkOf = (outcome: ContactCheckOutcome, number: string): NumberCheck => {
    switch (outcome.kind) {
      case 'checked': {
        const checkedAddress = outcome.result.get(digitsOf(number));
        if (checkedAddress === undefined && !outcome.isComplete) return NOT_UNDERSTOOD;
        return { kind: 'checked', checked: { checkedAt: clock.now(), checkedAddress } };
      }
      case 'unavailable':
        return { ...outcome, isRepeated: false };
      case 'rejected':
        return outcome;
    }
  };

  const checkAll = async (channel: string, batch: readonly WaitingNumber[]): Promise<void> => {
    try {
      const numbers = [...new Set(batch.map(({ number }) => number))];
      const outcome = contactCheckOutcome(await chatService.checkContacts(channel, numbers), numbers);
      if (outcome.kind === 'unavailable') {
        unavailable.set(channel, { outcome, until: addMs(clock.now(), UNAVAILABLE_MS) });
      }
      for (const { number, resolve } of batch) resolve(checkOf(outcome, number));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const work = async (channel: string): Promise<void> => {
    if (busy.has(channel)) return;
    busy.add(channel);
    for (let batch = waiting.get(channel) ?? []; batch.length > 0; batch = waiting.get(channel) ?? []) {
      waiting.delete(channel);
      await checkAll(channel, batch);
    }
    busy.delete(channel);
  };

  return async (channel: string, number: string): Promise<NumberCheck> => {
    const known = unavailable.get(channel);
    if (known !== undefined && clock.now() < known.until) return { ...known.outcome, isRepeated: true };
    return new Promise((resolve, reject) => {
      waiting.set(channel, [...(waiting.get(channel) ?? []), { number, resolve, reject }]);
      void work(channel);
    });
  };
};
