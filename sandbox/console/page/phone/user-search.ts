import type { UserRow } from '../state/api.ts';

/** What pressing Enter in the search field does. */
export type SearchOutcome =
  | { readonly kind: 'select' | 'add'; readonly contact: string }
  /** Nothing, because of the reason. A text that can be an id of the chat platform can be added as one. */
  | { readonly kind: 'refuse'; readonly reason: string; readonly id?: string };

export interface UserSearch {
  /** The matching users, the latest message first. */
  readonly rows: readonly UserRow[];
  readonly outcome: SearchOutcome;
  /** The address that the text names, if no user has it yet. */
  readonly newContact: string | undefined;
}

const EXAMPLE = '+54 9 11 5555 0001';

/**
 * Finds users by name or address, and the user that a text would add.
 *
 * @param businessNumber supplies the country code of a number that is written without one, such as `(011) 4555 0001`
 */
export const searchUsers = (
  users: ReadonlyMap<string, UserRow>,
  search: string,
  businessNumber: string | undefined,
): UserSearch => {
  const text = cleaned(search);
  const phone = parsePhoneNumber(text, businessNumber);
  const rows = matchingUsers(users, text);
  const exact = rows.find(({ contact }) => contact === text || (phone !== undefined && isSameNumber(contact, phone)));
  const newContact = exact === undefined ? phone : undefined;
  const contact = (exact ?? rows[0])?.contact;
  if (text === '') {
    return {
      rows,
      newContact,
      outcome: { kind: 'refuse', reason: `Enter a name, or a phone number such as ${EXAMPLE}.` },
    };
  }
  if (contact !== undefined) return { rows, newContact, outcome: { kind: 'select', contact } };
  if (newContact !== undefined) return { rows, newContact, outcome: { kind: 'add', contact: newContact } };
  return { rows, newContact, outcome: refusal(text) };
};

/**
 * Returns a phone number in international format, `+` and digits, or undefined if the text is none. Accepts the
 * separators that people write, the prefix `00`, and a national number with a leading zero.
 */
export const parsePhoneNumber = (given: string, businessNumber?: string): string | undefined => {
  const text = cleaned(given);
  if (!isPhoneLike(text)) return undefined;
  const digits = digitsOf(text);
  const isNational = digits.startsWith('0') && !text.includes('+');
  const international = isNational ? withCountryCode(digits, businessNumber) : digits;
  // ITU-T E.164: at most 15 digits, and no country code starts with 0.
  return /^[1-9]\d{5,14}$/.test(international) ? `+${international}` : undefined;
};

/** Unifies spaces, dashes, and the invisible marks that copied numbers contain. */
const cleaned = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/^\s*tel:/i, '')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim();

/** A plus may only lead. */
const isPhoneLike = (text: string): boolean => /^\(?\+?[\d ()./-]*\d[\d ()./-]*$/.test(text);

const digitsOf = (text: string): string => text.replace(/\D/g, '');

const withCountryCode = (digits: string, businessNumber = ''): string => {
  if (digits.startsWith('00')) return digits.slice(2);
  const [, countryCode] = COUNTRY_CODE.exec(businessNumber) ?? [];
  return countryCode === undefined ? digits : `${countryCode}${digits.slice(1)}`;
};

/** Source: https://www.itu.int/pub/T-SP-E.164D (list of assigned country codes). */
const COUNTRY_CODE = /^\+?(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)/;

const isSameNumber = (contact: string, phone: string): boolean =>
  isPhoneLike(contact) && digitsOf(contact) === digitsOf(phone);

const matchingUsers = (users: ReadonlyMap<string, UserRow>, text: string): readonly UserRow[] => {
  const term = text.toLowerCase();
  // A national number is part of the international one, without its leading zeros.
  const digits = isPhoneLike(text) ? digitsOf(text).replace(/^0+/, '') : '';
  const matches = [...users.values()].filter(
    ({ contact, name }) =>
      contact.toLowerCase().includes(term) ||
      name?.toLowerCase().includes(term) ||
      (digits !== '' && digitsOf(contact).includes(digits)),
  );
  return matches.toSorted((one, other) => (lastActivity(one) < lastActivity(other) ? 1 : -1));
};

const lastActivity = ({ lastMessage }: UserRow): string => lastMessage?.at ?? '';

const refusal = (text: string): SearchOutcome => {
  if (isPhoneLike(text)) {
    return {
      kind: 'refuse',
      reason: `"${text}" is not a complete phone number. Enter the full number, such as ${EXAMPLE}.`,
    };
  }
  const reason = `"${text}" is not a phone number. To add a user, enter a phone number such as ${EXAMPLE}.`;
  // Ids such as `CO.1000a` (field notes, "Inbound events"). A word without a digit is a name.
  return /^[^\s/\\]{1,128}$/.test(text) && /\d/.test(text)
    ? { kind: 'refuse', reason, id: text }
    : { kind: 'refuse', reason };
};
