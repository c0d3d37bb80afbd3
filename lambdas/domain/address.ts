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

/** A number in its plain form, or an id of only digits. */
const PLAIN = /^\+?[1-9]\d*$/;

/** Longer text is not a spelling of a number, and is not examined. */
const MAX_SPELLING = 128;

/** Returns what a text looks like to a person: with ASCII digits, spaces, and dashes, and nothing invisible. */
export const legible = (text: string): string =>
  text
    // Invisible characters, among them those that isolate a number from text in the other direction, and accents, which
    // would make the normalization slow.
    .replace(/[\p{Cf}\p{M}\u115f\u1160\u3164]/gu, '')
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\p{Z}\p{Cc}]+/gu, ' ');

/** Every script with decimal digits has ten of them in a row, from 0 to 9. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
};

/** Returns a legible text without what is typed or exported around an address. */
const bare = (text: string): string => text.replace(/^[ '"‘’“”\u0060]+|[ '"‘’“”\u0060]+$/g, '').replace(SCHEME, '');

/** Other prefixes can belong to ids. */
const SCHEME = /^(?:tel|sms|callto|phone|whatsapp|wa): ?(?=[+(]?\d)/i;

/** The trunk prefix, which is dialed only inside the country, after the country code. */
const TRUNK_PREFIX = /^(\+?[1-9]\d{0,2}) ?\( ?0 ?\)/;

/**
 * Returns the address that a person or a system typed or pasted: a phone number as its digits, with a plus if it was
 * typed with one, or with 00. Any other id is returned as it is.
 */
export const plainAddress = (typed: string): string => {
  if (typed.length > MAX_SPELLING || PLAIN.test(typed)) return typed;
  const text = legible(typed);
  const isMarked = SCHEME.test(text.trim());
  const international = bare(text)
    .replace(/^\(?00 ?(?=[1-9(])(?=(?:\D*\d){10})/, '+')
    .replace(/^\(?\+ ?(?=[1-9(])/, '+')
    .replace(TRUNK_PREFIX, '$1');
  const digits = international.replace(/[\s().-]|(?<=\d)\/(?=\d)/g, '');
  const isNumber = PLAIN.test(digits) && hasLengthOfPhone(digits);
  return isNumber && (isMarked || /[\s(+]/.test(international) || /^\d+$/.test(international)) ? digits : typed;
};

const FORMAT = 'write it in international format, such as +5491150000001';
const AS_TEXT = 'format the column as text and export it again';

/** What looks like a number or like a broken cell, and which no platform uses as an id. */
const FAULTS: readonly { readonly pattern: RegExp; readonly fault: string }[] = [
  {
    pattern: /^(#(n\/a|ref!|value!|name\?|num!|null!|div\/0!|spill!|calc!)|null|undefined|nan|none|n\/a|[-?]+|0+)$/i,
    fault: 'is the content of an empty or broken cell, not a phone number or id',
  },
  { pattern: /^[+-]?\d([.,]\d+)?e\+\d{1,3}$/i, fault: `is a number that a spreadsheet has rounded; ${AS_TEXT}` },
  { pattern: /^\+?\d{6,}[.,]0{1,2}$/, fault: `is a number with decimals; ${AS_TEXT}` },
  { pattern: /:\/\//, fault: `is a link; ${FORMAT}` },
  { pattern: /^[+(]*\d[\d ().-]{4,}[/;,| ]+[+(]*\d[\d ().-]{4,}\d$/, fault: `is not one phone number; ${FORMAT}` },
  { pattern: /^[+(]+ ?\d/, fault: `starts like a phone number but is not one; ${FORMAT}` },
];

/**
 * Returns what is wrong with an address that looks like a phone number or a cell of a spreadsheet but is neither a
 * number nor an id, as the end of a sentence. Returns undefined for any other address.
 *
 * @param address the address as {@link plainAddress} returns it
 */
export const addressFault = (address: string): string | undefined => {
  if (address.length > MAX_SPELLING) return undefined;
  if (PLAIN.test(address) && (hasLengthOfPhone(address) || !address.startsWith('+'))) return undefined;
  const text = bare(legible(address));
  if (NATIONAL_NUMBER.test(text)) return undefined;
  if (text === '') return 'has no visible characters';
  return FAULTS.find(({ pattern }) => pattern.test(text))?.fault;
};

const NATIONAL_NUMBER = /^\(?0[\d ().-]*[1-9][\d ().-]*$/;

/**
 * Returns what is wrong with an address that can only be a part of a phone number, as the end of a sentence: one without
 * a country code, or with too few digits. Some platforms have such ids, so it is wrong only if the contact is unknown.
 */
export const partialNumberFault = (address: string): string | undefined => {
  if (address.length > MAX_SPELLING) return undefined;
  if (NATIONAL_NUMBER.test(bare(legible(address)))) return `starts with 0 instead of a country code; ${FORMAT}`;
  return /^\d{1,5}$/.test(address) ? `has too few digits for a phone number; ${FORMAT}` : undefined;
};
