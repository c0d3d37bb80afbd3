/**
 * Only a plus, a space, or a parenthesis shows that punctuation belongs to a number. Otherwise, ids such as
 * `192.168.1.12` and `1234-5678-9012` would be numbers too.
 */
const PHONE = /^(\+\d[\d\s().-]*|\d+|(?=.*[\s(])[\d(][\d\s()-]*)$/;
const MIN_DIGITS = 6;
/** Source: Recommendation ITU-T E.164, 6.1: an international number has at most 15 digits. */
const MAX_DIGITS = 15;

/** Whether an address looks like a phone number in international format. User ids on other channels do not. */
export const isPhone = (address: string): boolean => PHONE.test(address) && hasLengthOfPhone(address);

const hasLengthOfPhone = (text: string): boolean => {
  const { length } = text.replace(/\D/g, '');
  return length >= MIN_DIGITS && length <= MAX_DIGITS;
};

/** What an address looks like to a person, without what copying or a spreadsheet adds. */
const legible = (typed: string): string =>
  typed
    .normalize('NFKC')
    // Invisible characters, among them those that isolate a number from text in the other direction, and accents.
    .replace(/[\p{Cf}\p{M}\u115f\u1160\u3164]/gu, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\p{Z}\p{Cc}]+/gu, ' ')
    .replace(/^[ '"‘’“”\u0060]+|[ '"‘’“”\u0060]+$/g, '');

/** Every script with decimal digits has ten of them in a row, from 0 to 9. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
};

/** A number's scheme, such as `tel:`, or a platform's name. */
const SCHEME = /^[a-z]{2,15}: ?(?=[+(]?\d)/i;

/**
 * Returns the address that a person or a system typed or pasted: a phone number as its digits, with a plus if it was
 * typed with one, or with 00. Any other id is returned as it is.
 */
export const plainAddress = (typed: string): string => {
  if (/^\+?[1-9]\d*$/.test(typed)) return typed;
  const number = legible(typed);
  const withoutScheme = number.replace(SCHEME, '');
  // The trunk prefix is dialed only inside the country.
  const international = withoutScheme.replace(/\( ?0 ?\)/, '').replace(/^\(?(?:00|\+) ?(?=[1-9(])/, '+');
  const isMarked = withoutScheme !== number || /[\s(+]/.test(international);
  const digits = international.replace(/[\s().-]|(?<=\d)\/(?=\d)/g, '');
  const isNumber = /^\+?[1-9]\d*$/.test(digits) && hasLengthOfPhone(digits);
  return isNumber && (isMarked || /^\d+$/.test(international)) ? digits : typed;
};

const FORMAT = 'write it in international format, such as +5491150000001';
const AS_TEXT = 'format the column as text and export it again';

/** What looks like a number or like a broken cell, and is no address. */
const FAULTS: readonly { readonly pattern: RegExp; readonly fault: string }[] = [
  {
    pattern: /^(#[a-z0-9/]+[!?]?|null|nil|none|undefined|nan|n\/?a|true|false|[-?]+|0+)$/i,
    fault: 'is the content of an empty or broken cell, not a phone number or id',
  },
  { pattern: /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i, fault: `is a number that a spreadsheet has rounded; ${AS_TEXT}` },
  { pattern: /^\+?\d{6,}[.,]\d{1,2}$/, fault: `is a number with decimals; ${AS_TEXT}` },
  { pattern: /:\/\//, fault: `is a link; ${FORMAT}` },
  { pattern: /^(\+|00)?\d{1,5}$/, fault: `has too few digits for a phone number; ${FORMAT}` },
  { pattern: /^\(?\+?\(?0[\d\s().-]*$/, fault: `starts with 0 instead of a country code; ${FORMAT}` },
  { pattern: /^[+(]?\+?\d[\d\s().+/;,|-]*[\s/;,|+][\d\s().+/;,|-]*$/, fault: `is not one phone number; ${FORMAT}` },
  { pattern: /^[+(]+ ?\d/, fault: `starts like a phone number but is not one; ${FORMAT}` },
];

/**
 * Returns what is wrong with an address that looks like a phone number or a cell of a spreadsheet but is neither, as
 * the end of a sentence. Returns undefined for a phone number or an id.
 *
 * @param address the address as {@link plainAddress} returns it
 */
export const addressFault = (address: string): string | undefined => {
  if (/^[1-9]\d{5,}$/.test(address) || isPlainNumber(address)) return undefined;
  const text = legible(address).replace(SCHEME, '');
  if (text === '') return 'has no visible characters';
  return FAULTS.find(({ pattern }) => pattern.test(text))?.fault;
};

const isPlainNumber = (address: string): boolean => /^\+[1-9]\d*$/.test(address) && hasLengthOfPhone(address);
