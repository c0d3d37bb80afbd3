import { isDeepStrictEqual } from 'node:util';
import { parseInstant } from '../domain/instant.ts';

// The laws restate the table's keys, attributes, and sort keys, as docs/ describes them. If they shared code with
// `table/` or the adapters, they would share their mistakes. From `domain/` they take the states and transitions of
// sends, which are data, two limits, and how times are parsed and compared.

/** An item of the table as plain values whose types have not been checked. */
export type StoredItem = Readonly<Record<string, unknown>>;

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** The format of the partition key and the sort key of each kind of item. */
const KEYS = {
  contact: [/^CONTACT#[^#]*#[^#]*#./s, /^CONTACT$/],
  consent: [/^CONTACT#[^#]*#[^#]*#./s, /^CONSENT$/],
  check: [/^CONTACT#[^#]*#[^#]*#./s, /^CHECK$/],
  denial: [/^CONTACT#[^#]*#[^#]*#./s, /^DENIAL$/],
  handover: [/^CONTACT#[^#]*#[^#]*#./s, /^HANDOVER$/],
  turn: [/^CONTACT#[^#]*#[^#]*#./s, /^TURN$/],
  customer: [/^CUSTOMER#[^#]*#./s, /^CUSTOMER#./s],
  message: [/^MESSAGE#./s, /^MESSAGE$/],
  echo: [/^MESSAGE#./s, /^ECHO$/],
  version: [/^MESSAGE#./s, /^VERSION#[\w-]{32}$/],
  unknown: [/^UNKNOWN#./s, /^UNKNOWN$/],
  send: [/^SEND#./s, /^SEND$/],
  transaction: [/^TRANSACTION#./s, /^TRANSACTION$/],
  account: [/^ACCOUNT#[^#]*#./s, /^ACCOUNT$/],
  erasure: [/^ERASURE#./s, /^ERASURE$/],
  'dead-letter': [/^DEADLETTER#./s, /^DEADLETTER$/],
  'dead-letter-part': [/^DEADLETTER#./s, /^PART#\d+$/],
  'dead-letter-contact': [/^DEADLETTER#./s, /^CONTACT#\d+$/],
  audit: [/^AUDIT#./s, /^AUDIT$/],
  channels: [/^CHANNELS$/, /^CHANNELS$/],
  channel: [/^CHANNEL#[^#]*#./s, /^CHANNEL$/],
  'channel-day': [/^CHANNEL#[^#]*#./s, /^DAY#\d{4}-\d\d-\d\d$/],
} as const satisfies Record<string, readonly [pk: RegExp, sk: RegExp]>;

export type ItemKind = keyof typeof KEYS;

// Object.keys widens the keys to string.
export const ITEM_KINDS = Object.keys(KEYS) as readonly ItemKind[];

/** The attributes with the latest consent of each kind and origin, such as `userOptOutAt`. */
export const CONSENTS = ['userOptIn', 'importOptIn', 'userOptOut', 'importOptOut'].map((prefix) => ({
  at: `${prefix}At`,
  source: `${prefix}Source`,
  recordedAt: `${prefix}RecordedAt`,
}));

/** Returns an item's kind from its key, or undefined for an item that Parley does not write. */
export const kindOf = ({ pk, sk }: StoredItem): ItemKind | undefined =>
  ITEM_KINDS.find((kind) => KEYS[kind][0].test(String(pk)) && KEYS[kind][1].test(String(sk)));

export const keyOf = ({ pk, sk }: StoredItem): ItemKey => ({ pk: String(pk), sk: String(sk) });

/** Returns the id in a partition key. */
export const idOf = ({ pk }: StoredItem): string => String(pk).slice(String(pk).indexOf('#') + 1);

/** Returns an attribute if it is a string. */
export const textOf = (item: StoredItem | undefined, name: string): string | undefined => {
  const value = item?.[name];
  return typeof value === 'string' ? value : undefined;
};

/** Returns an attribute if it is a number, or 0, because counters start without an attribute. */
export const countOf = (item: StoredItem | undefined, name: string): number => {
  const value = item?.[name];
  return typeof value === 'number' ? value : 0;
};

/** Returns an attribute if it is a set, or an empty set. */
export const membersOf = (item: StoredItem | undefined, name: string): ReadonlySet<unknown> => {
  const value = item?.[name];
  return value instanceof Set ? value : new Set();
};

/** Returns an attribute in milliseconds since the epoch, if it is a time in the format that Parley writes. */
export const timeOf = (item: StoredItem | undefined, name: string): number | undefined => {
  const value = item?.[name];
  return typeof value === 'string' && parseInstant(value) === value ? Date.parse(value) : undefined;
};

/** Whether a set has all members of another. */
export const includesAll = (whole: ReadonlySet<unknown>, part: ReadonlySet<unknown>): boolean =>
  [...part].every((member) => whole.has(member));

/** Describes a time for a fault. Does not quote anything else, because it could be content. */
export const describeTime = (item: StoredItem | undefined, name: string): string => {
  if (item?.[name] === undefined) return 'nothing';
  return timeOf(item, name) === undefined ? 'an invalid time' : String(item[name]);
};

/** Describes how a time changed. */
export const describeMove = (name: string, before: StoredItem, after: StoredItem): string =>
  `${name} went from ${describeTime(before, name)} to ${describeTime(after, name)}`;

export const has = (item: StoredItem | undefined, name: string): boolean => item?.[name] !== undefined;

/** Returns the names of the attributes that differ. */
export const changedNames = (before: StoredItem = {}, after: StoredItem = {}): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

/** Joins names for a sentence, in alphabetical order. */
export const listNames = (names: readonly string[]): string => names.toSorted().join(', ');
