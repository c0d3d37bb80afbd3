import type { Instant } from '../instant.ts';
import type { ItemKey, ItemKind, StoredItem } from './stored-item.ts';

/** What Parley promises about its table. */
export interface Law {
  /** Identifies the law in output, in documents, and on the command line. */
  readonly name: string;
  /** The promise, as one sentence. */
  readonly statement: string;
  /** The page of `docs/` that makes the promise. */
  readonly source: string;
  /** What an operator does about a violation, as one sentence. */
  readonly next: string;
  /** The kinds of items that the law is about. */
  readonly kinds: readonly ItemKind[];
}

/** One write of the table, as its stream reports it: an item is created, changed, or removed. */
export interface Change {
  readonly before?: StoredItem | undefined;
  readonly after?: StoredItem | undefined;
  /** For a removal: whether DynamoDB removed an expired item. @default false */
  readonly isExpiry?: boolean;
}

/** A law of what may become of an item. */
export interface ChangeLaw extends Law {
  /** Returns what is wrong, as a sentence that quotes no content, or undefined. */
  readonly faultIn: (change: Change) => string | undefined;
}

/** What the laws of stored items depend on besides the items. */
export interface AuditContext {
  readonly now: Instant;
  /** How long something that a retry can still complete may take before it is a fault, in milliseconds. */
  readonly graceMs: number;
  /** How many days the stage keeps messages, at the least. */
  readonly messageDays: number;
}

/** A law of an item as it is stored. */
export interface ItemLaw extends Law {
  readonly faultIn: (item: StoredItem, context: AuditContext) => string | undefined;
}

/** A law of an item and of the items that it refers to. */
export interface ReferenceLaw extends Law {
  /** Whether an erasure breaks the law while it is running, because it deletes one item before another. @default false */
  readonly isBrokenByErasure?: boolean;
  /** Returns the keys of the items to compare it with; none if the law does not apply to the item. */
  readonly keysFor: (item: StoredItem, context: AuditContext) => readonly ItemKey[];
  /** @param related the items of these keys, in their order */
  readonly faultIn: (
    item: StoredItem,
    related: readonly (StoredItem | undefined)[],
    context: AuditContext,
  ) => string | undefined;
}

/** A law that the table breaks, and the item that breaks it. */
export interface Violation {
  readonly law: string;
  readonly key: ItemKey;
  /** What is wrong, as a sentence that quotes no content. */
  readonly fault: string;
}
