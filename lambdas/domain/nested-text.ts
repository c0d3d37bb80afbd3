import { gunzipSync, inflateRawSync } from 'node:zlib';
import { decodeUtf8 } from './decode-utf8.ts';
import * as z from './schema.ts';

/** A string inside a text, with the name of the field that contains it, if there is one. */
export interface NestedText {
  readonly field?: string;
  readonly text: string;
}

/** More than any message needs: an event in an envelope in a request in a queue's message is at depth 4. */
const MAX_DEPTH = 12;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Yields a text and every string inside it, whether packed as JSON, as JSON in a JSON string, as base64, or
 * compressed.
 */
export function* nestedTexts(text: string, field?: string, depth = 0): Generator<NestedText> {
  yield { field, text };
  if (depth === MAX_DEPTH) return;
  const json = /^\s*[[{"]/.test(text) ? z.parseJson(text) : undefined;
  if (json !== undefined) yield* stringsIn(json, field, depth + 1);
  else for (const unpacked of unpack(text)) yield* nestedTexts(unpacked, field, depth + 1);
}

/** Yields the strings in a value that was parsed from JSON or unmarshalled from an item. */
export function* stringsIn(value: unknown, field?: string, depth = 0): Generator<NestedText> {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') yield* nestedTexts(value, field, depth);
  else if (typeof value === 'number' || typeof value === 'bigint') yield { field, text: String(value) };
  else if (value instanceof Uint8Array) yield* bytesIn(value, field, depth);
  else if (value instanceof Set || Array.isArray(value)) {
    for (const member of value) yield* stringsIn(member, field, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield { text: name };
      yield* stringsIn(member, name, depth + 1);
    }
  }
}

function* bytesIn(bytes: Uint8Array, field: string | undefined, depth: number): Generator<NestedText> {
  const texts = textsOf(Buffer.from(bytes));
  // A part of a text can begin or end within a character.
  const readable = texts.length > 0 ? texts : [Buffer.from(bytes).toString('utf8')];
  for (const text of readable) yield* nestedTexts(text, field, depth + 1);
}

/** Base64 in either alphabet, long enough to contain a phone number. */
const BASE64 = /^[A-Za-z0-9+/_-]{8,}={0,2}$/;

const unpack = (text: string): readonly string[] =>
  BASE64.test(text)
    ? textsOf(Buffer.from(text, text.includes('-') || text.includes('_') ? 'base64url' : 'base64'))
    : [];

/** Decompress what Parley has compressed (deflate), and what a sender of webhook requests may have (gzip). */
const DECOMPRESSORS = [inflateRawSync, gunzipSync];

/** Returns the text that bytes are, or that they become when they are decompressed; none if they are neither. */
const textsOf = (bytes: Buffer): readonly string[] => {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return [text];
  return DECOMPRESSORS.flatMap((decompress) => {
    try {
      return decodeUtf8(decompress(bytes, { maxOutputLength: MAX_BYTES })) ?? [];
    } catch {
      return [];
    }
  });
};
