import { findChannel } from './channels.ts';
import type { Refusal } from './model.ts';
import type { ServiceState } from './state.ts';
import { findUser, phoneDigits } from './users.ts';

/** Source: contract, "Contact check request". */
export type ContactCheckRequest = { chatChannelNumber: string; contacts: readonly string[] };

export type ContactCheckOutcome =
  | { kind: 'checked'; result: Record<string, string> }
  | { kind: 'refused'; refusal: Refusal };

/**
 * Returns the numbers that are on the platform, each with its proper digits; the others are missing from the result
 * (field notes, "The API's answers"). An unknown number counts as on the platform if it has the length of a phone
 * number (ITU-T E.164 allows up to 15 digits).
 */
export const checkContacts = (state: ServiceState, request: ContactCheckRequest): ContactCheckOutcome => {
  const { chatChannelNumber, contacts } = request;
  if (findChannel(state, chatChannelNumber) === undefined) {
    return { kind: 'refused', refusal: { reason: 'INVALID_CHANNEL', chatChannelNumber } };
  }
  const valid = contacts
    .map((contact): [string, string] => [contact, phoneDigits(contact)])
    .filter(([contact, digits]) => isPhoneLength(digits) && findUser(state, contact)?.onPlatform !== false);
  return { kind: 'checked', result: Object.fromEntries(valid) };
};

const isPhoneLength = (digits: string): boolean => digits.length >= 7 && digits.length <= 15;
