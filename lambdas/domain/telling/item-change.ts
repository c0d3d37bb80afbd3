import type { ContactRef } from '../contact.ts';
import type { Instant } from '../instant.ts';

/** What kind of thing a table item keeps. */
export type ItemKind = 'message' | 'echo' | 'send' | 'contact' | 'account';

/** An item's attributes as they were or are; empty where there was no item. Nothing of them is taken for granted. */
export type ItemImage = Readonly<Record<string, unknown>>;

/** One write to the table, as its stream tells it. */
export interface ItemChange {
  readonly kind: ItemKind;
  /** The message's, request's or account's id. */
  readonly id: string;
  /** The item's key in one text, from which event ids are derived. */
  readonly key: string;
  /** When the write was made, as the table's clock tells it. */
  readonly writtenAt: Instant;
  readonly contact?: ContactRef;
  readonly before: ItemImage;
  readonly after: ItemImage;
}

/** An attribute that should be text; anything else counts as absent. */
export const textOf = (image: ItemImage, name: string): string | undefined => {
  const value = image[name];
  return typeof value === 'string' ? value : undefined;
};

/** Whether an attribute came to be by this change. */
export const appeared = ({ before, after }: ItemChange, name: string): boolean =>
  before[name] === undefined && after[name] !== undefined;
