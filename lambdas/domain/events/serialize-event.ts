import type { BusEvent } from './event-details.ts';

/** An event ready for the bus. */
export interface SerializedEvent {
  readonly id: string;
  readonly name: string;
  readonly at: string;
  /** The detail as JSON. */
  readonly detail: string;
}

/**
 * Many targets that events are forwarded to accept only 256 KB, including the envelope.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html, "Calculating event entry size"
 */
export const MAX_DETAIL_BYTES = 240 * 1024;

/** The lengths that long strings are cut to, in this order, before the content is dropped. */
export const SHORTENED_CHARACTERS: readonly number[] = [8_000, 1_000];

/**
 * Serializes an event's detail, with or without its content. If the detail is too large, long strings are shortened
 * in two steps; if that is not enough, the content is dropped. Each step sets `truncated`, which is kept if the detail
 * already has it.
 */
export const serializeEvent = (
  { name, detail }: BusEvent,
  { content: includeContent }: { readonly content: boolean },
): SerializedEvent => {
  const { content, truncated, ...rest } = { content: undefined, truncated: undefined, ...detail };
  const serialize = (parts: object) => ({ id: detail.id, name, at: detail.at, detail: JSON.stringify(parts) });
  if (!includeContent) return serialize(rest);
  const whole = serialize({ ...rest, truncated, content });
  if (content === undefined || fits(whole)) return whole;
  const shortened = SHORTENED_CHARACTERS.map((length) =>
    serialize({ ...rest, truncated: true, content: shortenStrings(content, length) }),
  );
  return shortened.find(fits) ?? serialize({ ...rest, truncated: true });
};

const fits = ({ detail }: SerializedEvent): boolean => Buffer.byteLength(detail) <= MAX_DETAIL_BYTES;

const shortenText = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;

/** Shortens every string in a JSON value. */
export const shortenStrings = <Value>(value: Value, length: number): Value => shorten(value, length) as Value;

const shorten = (value: unknown, length: number): unknown => {
  if (typeof value === 'string') return shortenText(value, length);
  if (Array.isArray(value)) return value.map((member) => shorten(member, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shorten(part, length)]));
};
