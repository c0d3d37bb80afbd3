import { parseInstant } from '../../../lambdas/domain/instant.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { humanTime } from './human-time.ts';
import type { LedgerEntry } from './ledger.ts';

type Write = Extract<LedgerEntry, { kind: 'write' }>;

/** Attributes that are not shown: keys, attributes that never change, and those only for indexes and TTL. */
const UNINTERESTING: ReadonlySet<string> = new Set([
  'pk',
  'sk',
  'body',
  'contact',
  'state',
  'expiresAt',
  'stateShard',
  'stateAt',
  'broadcastShard',
  'broadcastState',
  'contactSort',
]);

const MAX_VALUE_CHARACTERS = 40;

/**
 * Describes what a write changed, such as `SEND request-7: waiting → claimed (attempts 1 → 2, leaseUntil +3 min)`.
 * Times are relative to the write. Omits sentences and content.
 */
export const describeWrite = ({ key, before, after, atMs }: Write): string => {
  const name = nameOf(key);
  if (after === undefined) return `${name}: deleted`;
  const state = describeState(before, after);
  const changed = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])]
    .filter((attribute) => !UNINTERESTING.has(attribute) && !isSame(before?.[attribute], after[attribute]))
    .map((attribute) => describeAttribute(attribute, before?.[attribute], after[attribute], atMs));
  return `${name}: ${state}${changed.length > 0 ? ` (${changed.join(', ')})` : ''}`;
};

/** Whether a write left the item unchanged. */
export const isUnchanged = ({ before, after }: Write): boolean => isSame(before, after);

const describeState = (before: Item | undefined, after: Item): string => {
  if (after.state === undefined) return before === undefined ? 'created' : 'changed';
  const to = String(after.state);
  const from = before === undefined || before.state === undefined ? 'none' : String(before.state);
  return from === to ? `still ${to}` : `${from} → ${to}`;
};

const describeAttribute = (attribute: string, before: unknown, after: unknown, atMs: number): string => {
  if (after === undefined) return `-${attribute}`;
  const text = describeValue(after, atMs);
  if (text === undefined) return attribute;
  const isCount = typeof before === 'number' && typeof after === 'number';
  return isCount ? `${attribute} ${before} → ${text}` : `${attribute} ${text}`;
};

/** Returns undefined if the value is too long to show. */
const describeValue = (value: unknown, atMs: number): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.length > MAX_VALUE_CHARACTERS || /[\s{"]/.test(value)) return undefined;
  const instant = parseInstant(value);
  if (instant === undefined) return value;
  const laterMs = Date.parse(instant) - atMs;
  return laterMs === 0 ? 'now' : laterMs > 0 ? `+${humanTime(laterMs)}` : humanTime(laterMs);
};

/** `SEND#request-7 SEND` is the only item of its send; a contact has several. */
const nameOf = (key: string): string => {
  const [, kind, id, sort] = /^([A-Z]+)#(.*) ([^ ]+)$/s.exec(key) ?? [];
  if (kind === undefined) return key;
  return kind === sort ? `${kind} ${id}` : `${kind} ${id} ${sort}`;
};

const isSame = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true;
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
};

/** An update may change the order of the attributes. */
const sorted = (value: unknown): unknown => {
  if (value instanceof Set) return [...value].toSorted();
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
    : value;
};
