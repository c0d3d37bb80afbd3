import { isNewestFirst } from '../../domain/send-index.ts';
import type { SendState } from '../../domain/send-transitions.ts';
import type { ListPosition, SendCountFilter, SendFilter, SendLists, UserPart } from '../../ports.ts';
import {
  BY_BROADCAST,
  BY_STATE,
  broadcastShards,
  broadcastSort,
  parseBroadcastSort,
  parseStateSort,
  type ShardedIndex,
  stateShards,
} from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import { idOf, sendKey, subjectName } from '../../table/keys.ts';
import { parseSend } from '../../table/send-item.ts';
import { isOfPart } from './named-customers.ts';
import { readWithinBudget } from './page-budget.ts';
import { HIGHEST, LOWEST, listShards, positionAfter, queryShard } from './shard-list.ts';
import { listSubjects } from './subject-list.ts';
import type { ConversationTable } from './table.ts';

/** Creates the lists of sends, which read only keys from the indexes. */
export const createDynamodbSendLists = (table: ConversationTable): SendLists => ({
  async list(filter, page) {
    const { entries, nextAfter } =
      filter.user === undefined
        ? await listShards(table, { ...listOf(filter), ...page, keyOf: sendKey })
        : await listOfUser(table, filter, page);
    const { values: sends, used } = await readWithinBudget(entries, async (chunk) => {
      const items = await table.getAll(chunk.map(({ id }) => sendKey(id)));
      return items.map((item, index) => {
        const entry = chunk[index];
        const isListed = item && entry && isCurrent(item, filter, entry.sort) && isSelected(item, filter);
        return isListed ? parseSend(item) : undefined;
      });
    });
    const next = nextAfter(used);
    return { sends, ...(next && { next }) };
  },

  async count(filter, after) {
    const { shards, parse, matches, ...list } = listOf(filter);
    const pages = await Promise.all(
      shards.map((shard) => queryShard(table, shard, { ...list, keyOf: sendKey, after }, COUNTED_KEYS)),
    );
    const counted = new Map<string, { state: SendState; code?: string; count: number }>();
    for (const { sort } of pages.flatMap(({ entries }) => entries)) {
      const entry = matches === undefined || matches(sort) ? parse(sort) : undefined;
      if (entry === undefined) continue;
      const { state, code } = entry;
      const name = `${state} ${code}`;
      counted.set(name, { state, ...(code !== undefined && { code }), count: (counted.get(name)?.count ?? 0) + 1 });
    }
    const counts = [...counted.values()];
    if (pages.every(({ isLast }) => isLast)) return { counts };
    return { counts, next: Object.fromEntries(pages.map((page) => [page.shard, positionAfter(page)])) };
  },
});

/** Per shard and call: 16 shards have 40,000 keys of about 150 bytes, which fit into the function's memory. */
const COUNTED_KEYS = 2_500;

/** A list in a sharded index, and what the sort keys of its entries say. */
interface ShardedList {
  readonly index: ShardedIndex;
  readonly shards: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly isDescending: boolean;
  readonly matches?: (sort: string) => boolean;
  readonly parse: (sort: string) => { readonly state: SendState; readonly code?: string } | undefined;
}

const listOf = (filter: SendCountFilter): ShardedList =>
  filter.broadcastId === undefined ? listOfState(filter) : listOfBroadcast(filter);

const listOfState = ({ state, code, since = LOWEST }: Extract<SendCountFilter, { broadcastId?: undefined }>) => ({
  index: BY_STATE,
  shards: stateShards(state),
  from: since,
  to: HIGHEST,
  isDescending: isNewestFirst(state),
  ...(code !== undefined && { matches: (sort: string) => parseStateSort(sort).code === code }),
  parse: (sort: string) => ({ state, code: parseStateSort(sort).code }),
});

const listOfBroadcast = ({ broadcastId, state, code, since }: Extract<SendCountFilter, { broadcastId: string }>) => {
  const list = { index: BY_BROADCAST, shards: broadcastShards(broadcastId), parse: parseBroadcastSort };
  if (state !== undefined && code !== undefined) {
    const start = broadcastSort(state, { at: '', code });
    return { ...list, from: `${start}${since ?? ''}`, to: `${start}${HIGHEST}`, isDescending: false };
  }
  const matches = (sort: string): boolean => {
    const entry = parseBroadcastSort(sort);
    const isLater = since === undefined || (entry !== undefined && entry.at >= since);
    return isLater && (code === undefined || entry?.code === code);
  };
  return {
    ...list,
    from: state === undefined ? LOWEST : `${state}#`,
    to: state === undefined ? HIGHEST : `${state}#${HIGHEST}`,
    isDescending: false,
    ...((code !== undefined || since !== undefined) && { matches }),
  };
};

/** Lists a user's sends, the latest first. */
const listOfUser = async (
  table: ConversationTable,
  { user, since }: Extract<SendFilter, { user: readonly UserPart[] }>,
  page: { readonly limit: number; readonly after?: ListPosition },
) => {
  const { entries, nextAfter } = await listSubjects(table, user, { kind: 'SEND', since, ...page });
  const keys = entries.map(({ pk, contactSort }) => ({ id: idOf(pk), sort: String(contactSort) }));
  return { entries: keys, nextAfter };
};

/** Whether the item is still where the index lists it. The index lags behind the table. */
const isCurrent = (item: Item, filter: SendFilter, sort: string): boolean => {
  if (filter.user !== undefined) {
    const isListed = filter.user.some(({ subject }) => item.contact === subjectName(subject));
    return isListed && item.contactSort === sort && isOfPart(item, filter.user);
  }
  return item[filter.broadcastId === undefined ? BY_STATE.sort : BY_BROADCAST.sort] === sort;
};

const isSelected = (item: Item, { state, code, broadcastId }: SendFilter): boolean =>
  item.state !== undefined &&
  (state === undefined || item.state === state) &&
  (code === undefined || item.code === code) &&
  (broadcastId === undefined || item.broadcastId === broadcastId);
