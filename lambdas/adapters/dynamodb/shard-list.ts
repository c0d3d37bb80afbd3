import { BY_STATE, type ItemKey, idOf, type ListedState, stateShards } from './keys.ts';
import type { ConversationTable } from './table.ts';

export interface ShardListOptions {
  /** Returns the key of the item with an ID. */
  readonly keyOf: (id: string) => ItemKey;
  readonly limit: number;
  readonly after?: ShardPosition;
  /** The first and the last time to list. @default all */
  readonly since?: string;
  readonly until?: string;
  /** @default oldest first */
  readonly isNewestFirst?: boolean;
}

/** Where each shard continues. */
export type ShardPosition = Readonly<Record<string, string>>;

/** Lists the items in a state by time, from all shards of the index. */
export const listByState = async (
  table: ConversationTable,
  state: ListedState,
  options: ShardListOptions,
): Promise<{
  readonly ids: readonly string[];
  /** Returns where the next page starts if this one ends after `count` items. */
  readonly nextAfter: (count: number) => ShardPosition | undefined;
}> => {
  const { limit, after = {}, isNewestFirst = false } = options;
  const shards = stateShards(state).filter((shard) => after[shard] !== EXHAUSTED);
  const pages = await Promise.all(shards.map((shard) => queryShard(table, shard, options, after[shard])));
  const later = isNewestFirst ? -1 : 1;
  // The sort is stable: items of a shard keep their order, so the next page can continue after the last one taken.
  const taken = pages
    .flatMap(({ entries }) => entries)
    .toSorted((one, other) => (one.stateAt < other.stateAt ? -later : one.stateAt > other.stateAt ? later : 0))
    .slice(0, limit);
  return {
    ids: taken.map(({ id }) => id),
    nextAfter: (count) => nextPosition(state, pages, taken.slice(0, count), after),
  };
};

/** In a list position: this shard has no more items. */
const EXHAUSTED = 'exhausted';

interface ShardEntry {
  readonly shard: string;
  readonly stateAt: string;
  readonly id: string;
}

interface ShardPage {
  readonly shard: string;
  readonly entries: readonly ShardEntry[];
  readonly isLast: boolean;
}

/** Sort before and after every time. */
const [ANY_TIME, NO_TIME] = ['0', '~'];

/** @param after the position, from {@link positionOf}, of the last item taken from this shard */
const queryShard = async (
  table: ConversationTable,
  shard: string,
  { keyOf, limit, since = ANY_TIME, until = NO_TIME, isNewestFirst = false }: ShardListOptions,
  after: string | undefined,
): Promise<ShardPage> => {
  const [stateAt = '', id = ''] = after?.split(' ') ?? [];
  const { items, next } = await table.query({
    IndexName: BY_STATE,
    KeyConditionExpression: '#stateShard = :stateShard AND #stateAt BETWEEN :since AND :until',
    ExpressionAttributeNames: { '#stateShard': 'stateShard', '#stateAt': 'stateAt' },
    values: { stateShard: shard, since, until },
    Limit: limit,
    ScanIndexForward: !isNewestFirst,
    ...(stateAt !== '' && { after: { ...keyOf(id), stateShard: shard, stateAt } }),
  });
  const entries = items.map((item) => ({ shard, stateAt: String(item.stateAt), id: idOf(item.pk) }));
  return { shard, entries, isLast: next === undefined };
};

/** Neither a time nor an ID contains a space. */
const positionOf = ({ stateAt, id }: ShardEntry): string => `${stateAt} ${id}`;

/** Returns the position at which each shard continues, or undefined if all shards are exhausted. */
const nextPosition = (
  state: ListedState,
  pages: readonly ShardPage[],
  taken: readonly ShardEntry[],
  after: ShardPosition,
): ShardPosition | undefined => {
  const next: Record<string, string> = { ...after };
  for (const { shard, entries, isLast } of pages) {
    const takenHere = taken.filter((entry) => entry.shard === shard);
    const last = takenHere.at(-1);
    if (isLast && takenHere.length === entries.length) next[shard] = EXHAUSTED;
    else if (last) next[shard] = positionOf(last);
  }
  return stateShards(state).every((shard) => next[shard] === EXHAUSTED) ? undefined : next;
};
