/**
 * Characters that a terminal interprets or does not show: control characters, line and paragraph separators, halves of
 * a surrogate pair, and invisible formatting, which can reorder a line. Joiners and tags stay, because scripts and
 * emojis need them.
 *
 * Source: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns text as one line that is safe to print, with control characters escaped as in JSON. */
export const printableLine = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => NAMED.get(character) ?? codeOf(character));

/** Returns text that is safe to print and keeps its line breaks. */
export const printableLines = (text: string): string => text.split('\n').map(printableLine).join('\n');

/** Returns JSON that is safe to print and parses to the same value. */
export const printableJson = (value: unknown, indent?: number): string =>
  // JSON.stringify escapes all control characters below U+0020, so any line break left is its own formatting.
  printableLines(JSON.stringify(value, null, indent) ?? 'null');
