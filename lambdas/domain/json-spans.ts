import { parseJson } from './parse-json.ts';

// Takes JSON apart without parsing and serializing its values, which would change numbers, spaces, and repeated names.
// Every text is valid JSON.

/** Where a value is in a JSON text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the texts of the elements of the array that starts at `open`. */
export const elementsAt = (text: string, open: number): readonly string[] =>
  spansAt(text, open).map(({ start, end }) => text.slice(start, end));

/** Returns where the elements of the array that starts at `open` are. The text is valid JSON. */
export const spansAt = (text: string, open: number): readonly Span[] => {
  const spans: Span[] = [];
  let at = skipSpace(text, open + 1);
  while (text[at] !== ']') {
    const end = endOfValue(text, at);
    spans.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return spans;
};

/** Returns where the value of an object's field starts. Of repeated fields, the last one counts, as in `JSON.parse`. */
export const memberAt = (text: string, name: string): number => {
  const quoted = JSON.stringify(name);
  let found = -1;
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text[at] !== '}') {
    const endOfName = endOfValue(text, at);
    const value = skipSpace(text, skipSpace(text, endOfName) + 1);
    const written = text.slice(at, endOfName);
    if (written === quoted || (written.includes('\\') && parseJson(written) === name)) found = value;
    at = skipSpace(text, endOfValue(text, value));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
};

const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
};

/** Source: RFC 8259, section 2. */
const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';

/** Returns the position after the value that starts at `from`. */
const endOfValue = (text: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && (character === ',' || character === ':' || isSpace(character))) return at;
    if (depth === 0 && (character === '"' || character === '}' || character === ']')) return at + 1;
  }
  return text.length;
};

const endOfString = (text: string, open: number): number => {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
};
