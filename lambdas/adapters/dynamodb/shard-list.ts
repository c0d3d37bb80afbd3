import type { ListPosition } from '../../ports.ts';
import type { ShardedIndex } from '../../table/indexes.ts';
import { type ItemKey, idOf } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

export interface ShardListOptions {
  readonly index: ShardedIndex;
  /** The partitions to list. */
  readonly shards: readonly string[];
  /** The first and the last sort key to list. @default all */
  readonly from?: string;
  readonly to?: string;
  /** Returns the key of the item with an ID. */
  readonly keyOf: (id: string) => ItemKey;
  readonly limit: number;
  readonly after?: ListPosition;
  /** @default the lowest sort key first */
  readonly isDescending?: boolean;
  /** Selects entries by their sort key. @default all */
  readonly matches?: (sort: string) => boolean;
}

export interface ShardEntry {
  readonly shard: string;
  readonly sort: string;
  readonly id: string;
}

/** Lists the entries of several partitions of an index, in the order of their sort keys. */
export const listShards = async (
  table: ConversationTable,
  options: ShardListOptions,
): Promise<{
  readonly entries: readonly ShardEntry[];
  /** Returns where the next page starts if this one ends after `count` entries. */
  readonly nextAfter: (count: number) => ListPosition | undefined;
}> => {
  const { shards, limit, after = {}, isDescending = false, matches } = options;
  // If only some entries match, as many as the page needs are rarely found among as many keys.
  const found = await Promise.all(
    shards.map((shard) => queryShard(table, shard, options, matches ? Math.max(limit, MIN_KEYS) : limit)),
  );
  const order = (one: string, other: string): number =>
    (one < other ? -1 : one > other ? 1 : 0) * (isDescending ? -1 : 1);
  // What a shard has not returned yet comes after its last entry, and so does everything later in other shards.
  const ends = found.flatMap(({ entries, isLast }) => (isLast ? [] : entries.slice(-1).map(({ sort }) => sort)));
  const [frontier] = ends.toSorted(order);
  const pages = found.map((page) => ({
    ...page,
    found: page.entries.length,
    entries: page.entries.filter(({ sort }) => frontier === undefined || order(sort, frontier) <= 0),
  }));
  // The sort is stable: entries of a shard keep their order, so the next page can continue after the last one taken.
  const taken = pages
    .flatMap(({ entries }) => entries)
    .filter(({ sort }) => matches === undefined || matches(sort))
    .toSorted((one, other) => order(one.sort, other.sort))
    .slice(0, limit);
  const nextAfter = (count: number): ListPosition | undefined => {
    const used = new Set(taken.slice(0, count));
    const isLeft = (entry: ShardEntry): boolean => !used.has(entry) && (matches === undefined || matches(entry.sort));
    const next = Object.fromEntries(Object.entries(after).filter(([shard]) => shards.includes(shard)));
    for (const { shard, entries, found, isLast } of pages) {
      const left = entries.findIndex(isLeft);
      const done = left < 0 ? entries : entries.slice(0, left);
      const last = done.at(-1);
      if (isLast && done.length === found) next[shard] = EXHAUSTED;
      else if (last) next[shard] = positionOf(last);
    }
    return shards.every((shard) => next[shard] === EXHAUSTED) ? undefined : next;
  };
  return { entries: taken, nextAfter };
};

/** A key has about 150 bytes, so these take eight read units. */
const MIN_KEYS = 400;

/** In a list position: this shard has no more items. */
const EXHAUSTED = 'exhausted';

interface ShardPage {
  readonly shard: string;
  readonly entries: readonly ShardEntry[];
  readonly isLast: boolean;
}

/** Sort before and after every time and every state. */
export const [LOWEST, HIGHEST] = ['0', '~'];

/** Reads the next entries of a shard. */
export const queryShard = async (
  table: ConversationTable,
  shard: string,
  {
    index,
    keyOf,
    from = LOWEST,
    to = HIGHEST,
    isDescending = false,
    after,
  }: Pick<ShardListOptions, 'index' | 'keyOf' | 'from' | 'to' | 'isDescending' | 'after'>,
  limit: number,
): Promise<ShardPage> => {
  const position = after?.[shard];
  const { sort, id } = parsePosition(position);
  // DynamoDB refuses a position outside of what is listed, as in a cursor of another list.
  const isBefore = isDescending ? sort > to : sort < from;
  const isAfter = isDescending ? sort < from : sort > to;
  if (position === EXHAUSTED || (position !== undefined && isAfter)) return { shard, entries: [], isLast: true };
  const { items, next } = await table.query({
    IndexName: index.name,
    KeyConditionExpression: '#shard = :shard AND #sort BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#shard': index.partition, '#sort': index.sort },
    values: { shard, from, to },
    Limit: limit,
    ScanIndexForward: !isDescending,
    ...(position !== undefined &&
      !isBefore && { after: { ...keyOf(id), [index.partition]: shard, [index.sort]: sort } }),
  });
  const entries = items.map((item) => ({ shard, sort: String(item[index.sort]), id: idOf(item.pk) }));
  return { shard, entries, isLast: next === undefined };
};

/** A sort key contains no space; the ID of a message can. */
const positionOf = ({ sort, id }: Pick<ShardEntry, 'sort' | 'id'>): string => `${sort} ${id}`;

const parsePosition = (position = ''): Pick<ShardEntry, 'sort' | 'id'> => {
  const end = position.indexOf(' ');
  return end < 0 ? { sort: position, id: '' } : { sort: position.slice(0, end), id: position.slice(end + 1) };
};

/** Returns where a shard continues after its entries have all been used. */
export const positionAfter = ({ entries, isLast }: Pick<ShardPage, 'entries' | 'isLast'>): string => {
  const last = entries.at(-1);
  return isLast || last === undefined ? EXHAUSTED : positionOf(last);
};
