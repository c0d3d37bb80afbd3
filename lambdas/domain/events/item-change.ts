import { createHash } from 'node:crypto';
import type { ContactRef } from '../contact.ts';
import type { Instant } from '../instant.ts';
import type { EventName } from './event-names.ts';

/** The kinds of table items whose changes are published. */
export const ITEM_KINDS = ['message', 'echo', 'send', 'consent', 'handover', 'turn', 'account', 'channel'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** An item's attributes; empty if there was no item. Their types have not been checked. */
export type ItemImage = Readonly<Record<string, unknown>>;

/** One write to the table, as its stream reports it. */
export interface ItemChange {
  readonly kind: ItemKind;
  /** The message, request, or account id. */
  readonly id: string;
  /** The item's key as one string, from which event ids are derived. */
  readonly key: string;
  /** When the table recorded the write. */
  readonly writtenAt: Instant;
  readonly contact?: ContactRef;
  readonly before: ItemImage;
  /** Empty if the write deleted the item. Only deletions of turns are published. */
  readonly after: ItemImage;
}

/** Returns an attribute if it is a string, otherwise undefined. */
export const stringOf = (image: ItemImage, name: string): string | undefined => {
  const value = image[name];
  return typeof value === 'string' ? value : undefined;
};

/** Returns the trace context of an item, as events have it. */
export const traceOf = (image: ItemImage) => ({ traceparent: stringOf(image, 'traceparent') });

/** Whether this change added the attribute. */
export const appeared = ({ before, after }: ItemChange, name: string): boolean =>
  before[name] === undefined && after[name] !== undefined;

/**
 * Derives an event's id from what it reports, so that a repeated stream record or a second delivery results in the same
 * id.
 *
 * @param occurrence what distinguishes this event from others of the same name and item; empty if it happens only once
 */
export const eventId = (name: EventName, { key }: Pick<ItemChange, 'key'>, occurrence = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([name, key, occurrence]))
    .digest('base64url')
    .slice(0, 32);
