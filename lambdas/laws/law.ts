import type { Instant } from '../domain/instant.ts';
import type { ItemKey, ItemKind, StoredItem } from './stored-item.ts';

/** A promise that Parley makes about its table. */
export interface Law {
  /** Identifies the law in output, in documents, and on the command line. */
  readonly name: string;
  /** The promise, as one sentence. */
  readonly statement: string;
  /** The page of `docs/` that makes the promise. */
  readonly source: string;
  /** What an operator should do about a violation. */
  readonly next: string;
  /** The kinds of items that the law applies to. */
  readonly kinds: readonly ItemKind[];
}

/** One write to the table, as its stream reports it: an item is created, updated, or deleted. */
export interface Change {
  readonly before?: StoredItem | undefined;
  readonly after?: StoredItem | undefined;
  /** For a deletion: whether DynamoDB deleted an expired item. @default false */
  readonly isExpiry?: boolean;
}

/** A law about one write, which compares the item before and after it. */
export interface ChangeLaw extends Law {
  /** Returns what is wrong, as a sentence that quotes no content, or undefined if nothing is. */
  readonly faultIn: (change: Change) => string | undefined;
}

/** What the laws about stored items depend on besides the items. */
export interface LawContext {
  readonly now: Instant;
  /** How long to wait for a retry to complete something before it counts as a violation, in milliseconds. */
  readonly graceMs: number;
  /** The least number of days for which the stage keeps messages. */
  readonly messageDays: number;
}

/** A law about one stored item. */
export interface ItemLaw extends Law {
  readonly faultIn: (item: StoredItem, context: LawContext) => string | undefined;
}

/** A law about a stored item and the items that it refers to. */
export interface ReferenceLaw extends Law {
  /** Whether an erasure breaks the law while it is running, because it deletes one item before another. @default false */
  readonly isBrokenByErasure?: boolean;
  /** Returns the keys of the items to compare it with, or none if the law does not apply to the item. */
  readonly keysFor: (item: StoredItem, context: LawContext) => readonly ItemKey[];
  /** @param related the items with these keys, in the same order */
  readonly faultIn: (
    item: StoredItem,
    related: readonly (StoredItem | undefined)[],
    context: LawContext,
  ) => string | undefined;
}
