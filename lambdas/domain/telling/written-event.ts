import type { ToldEvent } from './told-details.ts';
import type { ToldEventName } from './told-event-names.ts';

/** An event ready for the bus. */
export interface WrittenEvent {
  readonly id: string;
  readonly name: ToldEventName;
  readonly at: string;
  /** The detail as JSON text. */
  readonly detail: string;
}

/**
 * An event's detail goes on to wherever the customer sends it, and many of those places take 256 KB with the envelope.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html, "Calculating event entry size"
 */
export const MAX_DETAIL_BYTES = 240 * 1024;

/** Longer texts are shortened before the content is left out as a whole. */
const CUT_CHARACTERS = 8_000;

/**
 * Writes an event's detail, with its content or without; a detail that is too large has its texts shortened, then its
 * content left out, and says so with `cut`.
 */
export const writeEvent = ({ name, detail }: ToldEvent, { content }: { readonly content: boolean }): WrittenEvent => {
  const { content: told, ...rest } = { content: undefined, ...detail };
  const written = (parts: object) => ({ id: detail.id, name, at: detail.at, detail: JSON.stringify(parts) });
  if (!content || told === undefined) return written(rest);
  const whole = written({ ...rest, content: told });
  if (fits(whole)) return whole;
  const shortened = written({ ...rest, cut: true, content: shorten(told) });
  return fits(shortened) ? shortened : written({ ...rest, cut: true });
};

const fits = ({ detail }: WrittenEvent): boolean => Buffer.byteLength(detail) <= MAX_DETAIL_BYTES;

const shorten = (value: unknown): unknown => {
  if (typeof value === 'string') {
    return value.length > CUT_CHARACTERS ? `${value.slice(0, CUT_CHARACTERS).toWellFormed()}…` : value;
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shorten(part)]));
};
