/**
 * A date or time, a UUID, or an ARN, in which digits are not a phone number, or else what may be one, with its
 * punctuation.
 */
const KEPT_OR_NUMBER =
  /((?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?:T[\d:.]+Z?|(?![\d-]))|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\barn:[\w:/.@+=,*-]+)|\+?\p{Nd}(?:[\s().\-/\u00a0]{0,3}\p{Nd}){5,}/giu;

/**
 * Masks everything in a string that can be a phone number, except the last two digits, which are enough to recognize a
 * known number.
 */
export const maskNumbers = (text: string): string =>
  text.replace(KEPT_OR_NUMBER, (found: string, kept?: string) => kept ?? `***${[...found].slice(-2).join('')}`);
