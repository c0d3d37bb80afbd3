import type { SendState } from '../../domain/send-transitions.ts';
import type { SendListPosition } from '../../ports.ts';
import { BY_STATE, idOf, sendKey, stateShards } from './keys.ts';
import type { ConversationTable } from './table.ts';

/** Lists the sends in a state, oldest first, from all shards of the index. */
export const listByState = async (
  table: ConversationTable,
  state: SendState,
  { limit, after = {} }: { readonly limit: number; readonly after?: SendListPosition },
): Promise<{
  readonly requestIds: readonly string[];
  /** Returns where the next page starts if this one ends after `count` sends. */
  readonly nextAfter: (count: number) => SendListPosition | undefined;
}> => {
  const shards = stateShards(state).filter((shard) => after[shard] !== EXHAUSTED);
  const pages = await Promise.all(shards.map((shard) => queryShard(table, shard, limit, after[shard])));
  // The sort is stable: sends of a shard keep their order, so the next page can continue after the last one taken.
  const taken = pages
    .flatMap(({ entries }) => entries)
    .toSorted((one, other) => (one.stateAt < other.stateAt ? -1 : one.stateAt > other.stateAt ? 1 : 0))
    .slice(0, limit);
  return {
    requestIds: taken.map(({ requestId }) => requestId),
    nextAfter: (count) => nextPosition(state, pages, taken.slice(0, count), after),
  };
};

/** In a list position: this shard has no more sends. */
const EXHAUSTED = 'exhausted';

interface ShardEntry {
  readonly shard: string;
  readonly stateAt: string;
  readonly requestId: string;
}

interface ShardPage {
  readonly shard: string;
  readonly entries: readonly ShardEntry[];
  readonly isLast: boolean;
}

/** @param after the position, from {@link positionOf}, of the last send taken from this shard */
const queryShard = async (
  table: ConversationTable,
  shard: string,
  limit: number,
  after: string | undefined,
): Promise<ShardPage> => {
  const [stateAt, requestId = ''] = after?.split(' ') ?? [];
  const { items, next } = await table.query({
    IndexName: BY_STATE,
    KeyConditionExpression: '#stateShard = :stateShard',
    ExpressionAttributeNames: { '#stateShard': 'stateShard' },
    values: { stateShard: shard },
    Limit: limit,
    ...(stateAt !== undefined && { after: { ...sendKey(requestId), stateShard: shard, stateAt } }),
  });
  const entries = items.map((item) => ({ shard, stateAt: String(item.stateAt), requestId: idOf(item.pk) }));
  return { shard, entries, isLast: next === undefined };
};

/** Neither a time nor a request id contains a space. */
const positionOf = ({ stateAt, requestId }: ShardEntry): string => `${stateAt} ${requestId}`;

/** Returns the position at which each shard continues, or undefined if all shards are exhausted. */
const nextPosition = (
  state: SendState,
  pages: readonly ShardPage[],
  taken: readonly ShardEntry[],
  after: SendListPosition,
): SendListPosition | undefined => {
  const next: Record<string, string> = { ...after };
  for (const { shard, entries, isLast } of pages) {
    const takenHere = taken.filter((entry) => entry.shard === shard);
    const last = takenHere.at(-1);
    if (isLast && takenHere.length === entries.length) next[shard] = EXHAUSTED;
    else if (last) next[shard] = positionOf(last);
  }
  return stateShards(state).every((shard) => next[shard] === EXHAUSTED) ? undefined : next;
};
