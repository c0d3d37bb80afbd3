import { findChannel } from './channels.ts';
import type { ServiceState } from './state.ts';
import { findUser, phoneDigits } from './users.ts';

/** Source: contract, "Contact check request". */
export interface ContactCheckRequest {
  readonly chatChannelNumber: string;
  readonly contacts: readonly string[];
}

/**
 * Returns the numbers that are on the platform, each with its proper digits; the others are missing from the result
 * (field notes, "The API's answers"). An unknown number counts as on the platform if it has the length of a phone
 * number (ITU-T E.164 allows up to 15 digits). The result is undefined if the business number is not one of its own.
 */
export const checkContacts = (
  state: ServiceState,
  { chatChannelNumber, contacts }: ContactCheckRequest,
): Record<string, string> | undefined => {
  if (findChannel(state, chatChannelNumber) === undefined) return undefined;
  const valid = contacts
    .map((contact): [string, string] => [contact, phoneDigits(contact)])
    .filter(([contact, digits]) => isPhoneLength(digits) && findUser(state, contact)?.onPlatform !== false);
  return Object.fromEntries(valid);
};

const isPhoneLength = (digits: string): boolean => digits.length >= 7 && digits.length <= 15;
