import { isFieldName } from '../field-name.ts';
import { parseJson } from '../parse-json.ts';
import { formatOf, WEBHOOK_FORMATS } from './formats.ts';
import { type Fields, isFields, listIn, type WebhookFormat } from './webhook-format.ts';

/** One event of a post: its JSON exactly as received, without the other events of the post. */
export interface PostedEvent {
  readonly body: string;
  readonly format: WebhookFormat;
  readonly fields: Fields;
  /** Which entry of the format's list the event is. `fields` has all of them: a copy for each would cost too much. */
  readonly entry: number;
}

/** What could not be read: one event, or the whole post. */
export interface UnreadableEvent {
  readonly body: string;
  readonly reason: string;
}

/** A service sends one event in a post, or a few. The bounds keep the work for a post in proportion to its size. */
export const MAX_POST_EVENTS = 100;
/** Each event of a list keeps a copy of the envelope around the list. */
export const MAX_POST_BYTES = 8 * 1024 * 1024;

/**
 * Splits a post into its events: the entries of an array, and those of the list of their format. Each keeps its own
 * text, because parsing and serializing it again would change numbers, spaces, and repeated names.
 */
export const splitPost = (body: string): readonly (PostedEvent | UnreadableEvent)[] => {
  const json = parseJson(body);
  if (json === undefined) return [{ body, reason: 'The body is not JSON.' }];
  const elements = Array.isArray(json) ? json : [json];
  if (elements.length === 0) return [{ body, reason: 'Not a known event: the body is an empty list.' }];
  if (elements.length > MAX_POST_EVENTS) return [{ body, reason: TOO_MANY }];
  const texts = Array.isArray(json) ? elementsAt(body, body.indexOf('[')) : [body];
  const events: (PostedEvent | UnreadableEvent)[] = [];
  let size = 0;
  for (const [index, text] of texts.entries()) {
    const split = splitEvent(text, elements[index]);
    for (const event of split) size += event.body.length;
    if (events.length + split.length > MAX_POST_EVENTS || size > MAX_POST_BYTES) return [{ body, reason: TOO_MANY }];
    events.push(...split);
  }
  return events;
};

const TOO_MANY =
  `The post has too many events: Parley reads up to ${MAX_POST_EVENTS} in one post, with up to ` +
  `${MAX_POST_BYTES / 1024 / 1024} MiB in total.`;

const splitEvent = (text: string, json: unknown): readonly (PostedEvent | UnreadableEvent)[] => {
  if (!isFields(json)) return [{ body: text, reason: 'Not a known event: it is not a JSON object.' }];
  const format = formatOf(json);
  if (format === undefined) return [{ body: text, reason: describeUnknown(json) }];
  const list = format.list?.(json);
  const count = list === undefined ? 0 : listIn(json, list).length;
  if (list === undefined || count < 2) return [{ body: text, format, fields: json, entry: 0 }];
  if (count > MAX_POST_EVENTS) return [{ body: text, reason: TOO_MANY }];
  const spans = spansAt(text, memberAt(text, list));
  const before = text.slice(0, spans[0]?.start);
  const after = text.slice(spans.at(-1)?.end);
  return spans.map(({ start, end }, entry) => ({
    body: `${before}${text.slice(start, end)}${after}`,
    format,
    fields: json,
    entry,
  }));
};

const MAX_FIELDS = 8;

/** Names a few fields, from which an operator can recognize another format. */
const describeUnknown = (fields: Fields): string => {
  const names = Object.keys(fields).filter(isFieldName).slice(0, MAX_FIELDS);
  const seen = names.length === 0 ? 'It has no fields.' : `Its fields: ${names.join(', ')}.`;
  const formats = WEBHOOK_FORMATS.map(({ name }) => name).join(', ');
  return `Not a known event: it is in none of the formats ${formats}. ${seen}`;
};

interface Span {
  readonly start: number;
  readonly end: number;
}

const elementsAt = (text: string, open: number): readonly string[] =>
  spansAt(text, open).map(({ start, end }) => text.slice(start, end));

/** Returns where the elements of the array that starts at `open` are. The text is valid JSON. */
const spansAt = (text: string, open: number): readonly Span[] => {
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
const memberAt = (text: string, name: string): number => {
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
