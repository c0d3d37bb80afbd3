import { CONTACT_CHANGE_LAWS } from './contact-change-laws.ts';
import { EXPIRY_LAW } from './expiry-law.ts';
import { ITEM_LAWS } from './item-laws.ts';
import type { Change, ChangeLaw, ItemLaw, Law, LawContext, ReferenceLaw } from './law.ts';
import { MESSAGE_CHANGE_LAWS } from './message-change-laws.ts';
import { RECORD_CHANGE_LAWS } from './record-change-laws.ts';
import { REFERENCE_LAWS as LAWS_OF_REFERENCES } from './reference-laws.ts';
import { SEND_CHANGE_LAWS } from './send-change-laws.ts';
import { SEND_LAWS } from './send-laws.ts';
import { type ItemKey, keyOf, kindOf, type StoredItem } from './stored-item.ts';

type NamesOf<Laws extends readonly Law[]> = Laws[number]['name'];

/** The name of a law about writes. */
export type ChangeLawName = NamesOf<
  typeof SEND_CHANGE_LAWS | typeof MESSAGE_CHANGE_LAWS | typeof CONTACT_CHANGE_LAWS | typeof RECORD_CHANGE_LAWS
>;

/** The name of a law about stored items. */
export type StoredLawName =
  | NamesOf<typeof ITEM_LAWS | typeof SEND_LAWS | typeof LAWS_OF_REFERENCES>
  | (typeof EXPIRY_LAW)['name'];

/** The name of any law. */
export type LawName = ChangeLawName | StoredLawName;

/** A law with one of these names. */
type Named<Kind extends Law, Name extends LawName = LawName> = Kind & { readonly name: Name };

/** A broken law, and the item that breaks it. */
export interface Violation {
  readonly law: LawName;
  readonly key: ItemKey;
  /** What is wrong, as a sentence without content. */
  readonly fault: string;
}

/** The laws about writes. They can be checked only on the table's stream, which shows each write. */
export const CHANGE_LAWS: readonly Named<ChangeLaw, ChangeLawName>[] = [
  ...SEND_CHANGE_LAWS,
  ...MESSAGE_CHANGE_LAWS,
  ...CONTACT_CHANGE_LAWS,
  ...RECORD_CHANGE_LAWS,
];

/** The laws about each stored item. */
export const STORED_ITEM_LAWS: readonly Named<ItemLaw, StoredLawName>[] = [...ITEM_LAWS, EXPIRY_LAW, ...SEND_LAWS];

/** The laws about an item and those that it refers to. */
export const REFERENCE_LAWS: readonly Named<ReferenceLaw, StoredLawName>[] = LAWS_OF_REFERENCES;

/** All laws of the table. */
export const LAWS: readonly Named<Law>[] = [...CHANGE_LAWS, ...STORED_ITEM_LAWS, ...REFERENCE_LAWS];

/** Whether an erasure that is running can explain why a law, by its name, is broken. */
export const isBrokenByErasure = (law: LawName): boolean =>
  REFERENCE_LAWS.some(({ name, isBrokenByErasure = false }) => isBrokenByErasure && name === law);

/** Which laws to check, by name. @default all */
export type IsWanted = (name: LawName) => boolean;

const applies = ({ kinds, name }: Named<Law>, item: StoredItem, isWanted: IsWanted): boolean => {
  const kind = kindOf(item);
  // Items of unknown kind break exactly one law.
  return isWanted(name) && (kind === undefined ? name === 'item-is-known' : kinds.includes(kind));
};

/** Checks one write against the laws. */
export const violationsOfChange = (change: Change, isWanted: IsWanted = () => true): readonly Violation[] => {
  const item = change.after ?? change.before;
  if (item === undefined) return [];
  return CHANGE_LAWS.filter((law) => applies(law, item, isWanted)).flatMap(({ name, faultIn }) => {
    const fault = faultIn(change);
    return fault === undefined ? [] : [{ law: name, key: keyOf(item), fault }];
  });
};

/** Checks a stored item on its own. */
export const violationsOfItem = (
  item: StoredItem,
  context: LawContext,
  isWanted: IsWanted = () => true,
): readonly Violation[] =>
  STORED_ITEM_LAWS.filter((law) => applies(law, item, isWanted)).flatMap(({ name, faultIn }) => {
    const fault = faultIn(item, context);
    return fault === undefined ? [] : [{ law: name, key: keyOf(item), fault }];
  });

/** Returns the keys of the items that a stored item must be compared with. */
export const referencesOf = (
  item: StoredItem,
  context: LawContext,
  isWanted: IsWanted = () => true,
): readonly ItemKey[] =>
  REFERENCE_LAWS.filter((law) => applies(law, item, isWanted)).flatMap(({ keysFor }) => keysFor(item, context));

/** Checks a stored item against the items that it refers to. */
export const violationsOfReferences = (
  item: StoredItem,
  find: (key: ItemKey) => StoredItem | undefined,
  context: LawContext,
  isWanted: IsWanted = () => true,
): readonly Violation[] =>
  REFERENCE_LAWS.filter((law) => applies(law, item, isWanted)).flatMap(({ name, keysFor, faultIn }) => {
    const keys = keysFor(item, context);
    const fault = keys.length === 0 ? undefined : faultIn(item, keys.map(find), context);
    return fault === undefined ? [] : [{ law: name, key: keyOf(item), fault }];
  });

/** Checks all items of a table to which nothing is being written. */
export const violationsAtRest = (
  items: Iterable<StoredItem>,
  context: LawContext,
  isWanted: IsWanted = () => true,
): readonly Violation[] => {
  const all = [...items];
  const byKey = new Map(all.map((item) => [nameOf(keyOf(item)), item]));
  const find = (key: ItemKey) => byKey.get(nameOf(key));
  return all.flatMap((item) => [
    ...violationsOfItem(item, context, isWanted),
    ...violationsOfReferences(item, find, context, isWanted),
  ]);
};

/** Returns an item's key as one string. */
export const nameOf = ({ pk, sk }: ItemKey): string => `${pk} ${sk}`;
