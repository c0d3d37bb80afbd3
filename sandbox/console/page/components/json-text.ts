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
export const formatJson = (value: unknown): JsonText => {
  const compact = typeof value === 'string' ? value : serialize(value);
  return isContainer(compact) ? { text: indent(compact), isJson: true } : { text: compact, isJson: false };
};

const serialize = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return 'This value is nested too deeply to show.';
  }
};

/** Sorts the keys of objects when they are serialized. */
export const sortKeys = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

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
