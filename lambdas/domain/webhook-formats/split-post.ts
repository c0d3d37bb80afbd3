import { isFieldName } from '../field-name.ts';
import { elementsAt, memberAt, spansAt } from '../json-spans.ts';
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
 *
 * @param describe explains an object in no known format
 */
export const splitPost = (
  body: string,
  describe: typeof describeUnknown = describeUnknown,
): readonly (PostedEvent | UnreadableEvent)[] => {
  const json = parseJson(body);
  if (json === undefined) return [{ body, reason: 'The body is not JSON.' }];
  const elements = Array.isArray(json) ? json : [json];
  if (elements.length === 0) return [{ body, reason: 'Not a known event: the body is an empty list.' }];
  if (elements.length > MAX_POST_EVENTS) return [{ body, reason: TOO_MANY }];
  const texts = Array.isArray(json) ? elementsAt(body, body.indexOf('[')) : [body];
  const events: (PostedEvent | UnreadableEvent)[] = [];
  let size = 0;
  for (const [index, text] of texts.entries()) {
    const split = splitEvent(text, elements[index], describe);
    for (const event of split) size += event.body.length;
    if (events.length + split.length > MAX_POST_EVENTS || size > MAX_POST_BYTES) return [{ body, reason: TOO_MANY }];
    events.push(...split);
  }
  return events;
};

const TOO_MANY =
  `The post has too many events: Parley reads up to ${MAX_POST_EVENTS} in one post, with up to ` +
  `${MAX_POST_BYTES / 1024 / 1024} MiB in total.`;

const splitEvent = (
  text: string,
  json: unknown,
  describe: typeof describeUnknown,
): readonly (PostedEvent | UnreadableEvent)[] => {
  if (!isFields(json)) return [{ body: text, reason: 'Not a known event: it is not a JSON object.' }];
  const format = formatOf(json);
  if (format === undefined) return [{ body: text, reason: describe(json) }];
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
export const describeUnknown = (
  fields: Fields,
  known: readonly Pick<WebhookFormat, 'name'>[] = WEBHOOK_FORMATS,
): string => {
  const names = Object.keys(fields).filter(isFieldName).slice(0, MAX_FIELDS);
  const seen = names.length === 0 ? 'It has no fields.' : `Its fields: ${names.join(', ')}.`;
  const formats = known.map(({ name }) => name).join(', ');
  return `Not a known event: it is in none of the formats ${formats}. ${seen}`;
};
