import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import type { ItemKey } from '../../../lambdas/table/keys.ts';

/** What a call reads and writes, by name. Two calls commute if neither writes what the other accesses. */
export interface Touches {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** What a queue call accesses. */
export const queueName = (queue: string): string => `queue ${queue}`;

/** The partition and the sort attribute of each index. */
const INDEXES: Readonly<Record<string, readonly [partition: string, sort: string]>> = {
  byContact: ['contact', 'contactSort'],
  byState: ['stateShard', 'stateAt'],
  byBroadcast: ['broadcastShard', 'broadcastState'],
};

export const readOf = (keys: readonly ItemKey[]): Touches => ({ reads: keys.map(itemName), writes: [] });

/** @param before the item as it is */
export const updateOf = ({ key, set = {}, setOnce = {} }: ItemUpdate, before: Item | undefined): Touches => {
  const assigned = { ...setOnce, ...set };
  const after = { ...setOnce, ...before, ...set };
  const isMoved = (names: readonly string[]): boolean => names.some((name) => Object.hasOwn(assigned, name));
  const moved = Object.entries(INDEXES).flatMap(([index, names]) =>
    isMoved(names) || before === undefined ? [partOf(index, before), partOf(index, after)] : [],
  );
  return { reads: [], writes: [itemName(key), ...defined(moved)] };
};

/** What two calls access together. */
export const both = (one: Touches, other: Touches): Touches => ({
  reads: [...one.reads, ...other.reads],
  writes: [...one.writes, ...other.writes],
});

export const deletionOf = (key: ItemKey, before: Item | undefined): Touches => ({
  reads: [],
  writes: [itemName(key), ...defined(Object.keys(INDEXES).map((index) => partOf(index, before)))],
});

export const queryOf = ({ IndexName = '', values }: Parameters<ConversationTable['query']>[0]): Touches => {
  const [partition, kind] =
    IndexName === 'byContact'
      ? [values.contact, kindOf(values.from ?? values.messages)]
      : [values.shard ?? values.stateShard, ''];
  return { reads: [`${IndexName} ${String(partition)} ${kind}`], writes: [] };
};

const itemName = ({ pk, sk }: ItemKey): string => `${pk} ${sk}`;

/** The part of an index that has an item: a partition, or one kind of items in it. */
const partOf = (index: string, item: Item | undefined): string | undefined => {
  const [partition = '', sort = ''] = INDEXES[index] ?? [];
  if (item?.[partition] === undefined || item[sort] === undefined) return undefined;
  return `${index} ${String(item[partition])} ${index === 'byContact' ? kindOf(item[sort]) : ''}`;
};

/** Of a sort key such as `SEND#2026-11-20`, the kind. */
const kindOf = (sort: unknown): string => String(sort).split('#', 1)[0] ?? '';

const defined = (names: readonly (string | undefined)[]): readonly string[] =>
  names.filter((name): name is string => name !== undefined);
