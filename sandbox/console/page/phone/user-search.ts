import {
  addressFault,
  isPhone,
  legible,
  partialNumberFault,
  plainAddress,
} from '../../../../lambdas/domain/address.ts';
import type { UserRow } from '../state/api.ts';
import { isSameContact } from '../state/find-user.ts';

/** What pressing Enter in the search field does. */
export type SearchOutcome =
  | { readonly kind: 'select' | 'add'; readonly contact: string }
  /** Nothing, because of the reason. A text that can be an id of the chat platform can be added as one. */
  | { readonly kind: 'refuse'; readonly reason: string; readonly id?: string };

export interface UserSearch {
  /** The matching users, the latest message first. */
  readonly rows: readonly UserRow[];
  readonly outcome: SearchOutcome;
  /** The phone number that the text is, if no user has it yet. */
  readonly newContact: string | undefined;
}

const EXAMPLE = '+54 9 11 5555 0001';

/** Finds users by name or address, and the user that a text would add. Reads a phone number as Parley does. */
export const searchUsers = (users: ReadonlyMap<string, UserRow>, search: string): UserSearch => {
  const text = readable(search);
  const address = plainAddress(search);
  const fault = addressFault(address) ?? partialNumberFault(address);
  const phone = fault === undefined && isPhone(address) ? `+${address.replace(/^\+/, '')}` : undefined;
  const rows = matchingUsers(users, text, phone ?? text);
  const exact = rows.find(({ contact }) => contact === text || (phone !== undefined && isSameContact(contact, phone)));
  const newContact = exact === undefined ? phone : undefined;
  const contact = (exact ?? rows[0])?.contact;
  const outcomeOf = (): SearchOutcome => {
    if (text === '') return { kind: 'refuse', reason: `Enter a name, or a phone number such as ${EXAMPLE}.` };
    if (contact !== undefined) return { kind: 'select', contact };
    if (newContact !== undefined) return { kind: 'add', contact: newContact };
    return fault === undefined ? refuseOther(text) : { kind: 'refuse', reason: `"${text}" ${fault}.` };
  };
  return { rows, newContact, outcome: outcomeOf() };
};

const readable = (text: string): string => legible(text.normalize('NFC')).trim();

const matchingUsers = (users: ReadonlyMap<string, UserRow>, text: string, address: string): readonly UserRow[] => {
  const term = text.toLowerCase();
  // A national number is part of the international one, without its leading zeros.
  const digits = /^[+\d\s().-]*$/.test(address) ? digitsOf(address).replace(/^0+/, '') : '';
  const matches = [...users.values()].filter(
    ({ contact, name = '' }) =>
      contact.toLowerCase().includes(term) ||
      readable(name).toLowerCase().includes(term) ||
      (digits !== '' && digitsOf(contact).includes(digits)),
  );
  return matches.toSorted((one, other) => (lastActivity(one) < lastActivity(other) ? 1 : -1));
};

const digitsOf = (text: string): string => text.replace(/\D/g, '');

const lastActivity = ({ lastMessage }: UserRow): string => lastMessage?.at ?? '';

/** Refuses a name. Offers to add an ID, such as `CO.1000a` (field notes, "Inbound events"), which has a digit. */
const refuseOther = (text: string): SearchOutcome => {
  const reason = `"${text}" is not a phone number. To add a user, enter a phone number such as ${EXAMPLE}.`;
  return /^[^\s/\\]{1,128}$/.test(text) && /\d/.test(text)
    ? { kind: 'refuse', reason, id: text }
    : { kind: 'refuse', reason };
};
