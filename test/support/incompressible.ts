import { createHash } from 'node:crypto';

/** Returns bytes that look random, which no compression shortens; the same ones on every call. */
export const incompressibleBytes = (length: number): Buffer =>
  createHash('shake256', { outputLength: length }).update('incompressible').digest();

/** Returns a text of as many bytes, each a character drawn from `alphabet`, which must be ASCII. */
export const incompressibleText = (length: number, alphabet: string): string =>
  [...incompressibleBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join('');

const printable = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));

/** The printable ASCII characters that JSON does not escape. */
export const PLAIN_CHARACTERS = printable.filter((character) => !'"\\'.includes(character)).join('');
