import { field } from '../state/api.ts';

/** In which order keys are shown: as they were sent, or by name, because DynamoDB returns attributes in no order. */
export type KeyOrder = 'as-sent' | 'table-item';

export interface JsonText {
  readonly text: string;
  /** Whether the text is an object or an array, which is indented. Any other text is shown as it is. */
  readonly isJson: boolean;
}

/** Deeper JSON is not indented: the indentation alone would be larger than the JSON. */
const MAX_DEPTH = 64;

/**
 * Returns the text of a value. A string that contains JSON is shown as JSON: what it contains is indented, not parsed,
 * so that its numbers, its duplicate keys, and their order stay as they are.
 */
export const formatJson = (value: unknown, order: KeyOrder = 'as-sent'): JsonText => {
  const compact = typeof value === 'string' ? value : serialize(value, order);
  return isContainer(compact) ? { text: indent(compact), isJson: true } : { text: compact, isJson: false };
};

/** The attributes of a table item that contain the JSON of requests and events as strings. */
const TEXT_ATTRIBUTES = ['body', 'failedBody', 'statusBodies'];

const serialize = (value: unknown, order: KeyOrder): string => {
  try {
    return (order === 'as-sent' ? JSON.stringify(value) : serializeItem(value)) ?? '';
  } catch {
    return 'This value is nested too deeply to show.';
  }
};

const serializeItem = (item: unknown): string => {
  if (!isObject(item)) return JSON.stringify(withSortedKeys(item));
  const attributes = sortedKeys(item, ['pk', 'sk']).map((name) => {
    const value = field(item, name);
    return `${JSON.stringify(name)}:${TEXT_ATTRIBUTES.includes(name) ? embed(value) : JSON.stringify(withSortedKeys(value))}`;
  });
  return `{${attributes.join(',')}}`;
};

/** Returns a string that contains JSON as that JSON, also within an array. */
const embed = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(embed).join(',')}]`;
  return typeof value === 'string' && isContainer(value) ? value : JSON.stringify(value);
};

/** Sorts the keys at every level. */
export const withSortedKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(sortedKeys(value).map((name) => [name, withSortedKeys(field(value, name))]));
};

const sortedKeys = (value: object, first: readonly string[] = []): readonly string[] => [
  ...first.filter((name) => Object.hasOwn(value, name)),
  ...Object.keys(value)
    .filter((name) => !first.includes(name))
    .toSorted(),
];

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isContainer = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const TOKEN = new RegExp(String.raw`${STRING}|[[\]{},:]|[^\s[\]{},:"]+`, 'g');

const indent = (json: string): string => {
  const tokens = json.match(TOKEN) ?? [];
  const parts: string[] = [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [index, token] of tokens.entries()) {
    const isEmpty = /^[}\]]$/.test(token) && /^[{[]$/.test(tokens[index - 1] ?? '');
    if (token === '{' || token === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) return json;
      parts.push(/^[}\]]$/.test(tokens[index + 1] ?? '') ? token : token + line());
    } else if (token === '}' || token === ']') {
      depth -= 1;
      parts.push(isEmpty ? token : line() + token);
    } else if (token === ',') parts.push(token + line());
    else if (token === ':') parts.push(': ');
    else parts.push(token);
  }
  return parts.join('');
};

export interface JsonPart {
  readonly kind?: 'key' | 'string' | 'number' | 'literal';
  readonly text: string;
}

const COLORED = new RegExp(String.raw`(${STRING})(:?)|-?\d[\d.eE+-]*|true|false|null`, 'g');

/**
 * Divides indented JSON into the parts that are colored and the text between them. Joined, they are the text.
 *
 * @param maxColored what follows this many colored parts is one part without a color
 */
export const jsonParts = (text: string, maxColored: number): readonly JsonPart[] => {
  const parts: JsonPart[] = [];
  let end = 0;
  let colored = 0;
  for (const { 0: match, 1: string, 2: colon, index } of text.matchAll(COLORED)) {
    if (colored === maxColored) break;
    if (index > end) parts.push({ text: text.slice(end, index) });
    const kind = string ? (colon ? 'key' : 'string') : /^[tfn]/.test(match) ? 'literal' : 'number';
    parts.push({ kind, text: string ?? match });
    end = index + (string ?? match).length;
    colored += 1;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
};

const LINES_PER_BLOCK = 100;

/** Divides text into blocks of whole lines, of which a browser lays out only those that are visible. */
export const blocksOf = (text: string): readonly string[] => {
  const lines = text.split('\n');
  const starts = Array.from(
    { length: Math.ceil(lines.length / LINES_PER_BLOCK) },
    (_, block) => block * LINES_PER_BLOCK,
  );
  return starts.map((start) => {
    const isLast = start + LINES_PER_BLOCK >= lines.length;
    return lines.slice(start, start + LINES_PER_BLOCK).join('\n') + (isLast ? '' : '\n');
  });
};
