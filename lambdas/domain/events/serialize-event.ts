import type { BusEvent } from './event-details.ts';

/** An event ready for the bus. */
export interface SerializedEvent {
  readonly id: string;
  /** One of the events' names, or the name that an earlier version gave it. */
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
const SHORTENED_CHARACTERS = [8_000, 1_000];

/**
 * Serializes an event's detail, with or without its content. If the detail is too large, long strings are shortened
 * in two steps; if that is not enough, the content is dropped. Each step sets `truncated`.
 */
export const serializeEvent = (
  { name, detail }: BusEvent,
  { content: includeContent }: { readonly content: boolean },
): SerializedEvent => {
  const { content, ...rest } = { content: undefined, ...detail };
  const serialize = (parts: object) => ({ id: detail.id, name, at: detail.at, detail: JSON.stringify(parts) });
  if (!includeContent || content === undefined) return serialize(rest);
  const whole = serialize({ ...rest, content });
  if (fits(whole)) return whole;
  const shortened = SHORTENED_CHARACTERS.map((length) =>
    serialize({ ...rest, truncated: true, content: shorten(content, length) }),
  );
  return shortened.find(fits) ?? serialize({ ...rest, truncated: true });
};

const fits = ({ detail }: SerializedEvent): boolean => Buffer.byteLength(detail) <= MAX_DETAIL_BYTES;

const shorten = (value: unknown, length: number): unknown => {
  if (typeof value === 'string') return value.length > length ? `${value.slice(0, length).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.map((member) => shorten(member, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shorten(part, length)]));
};
