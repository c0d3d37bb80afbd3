import type { Instant } from '../../domain/instant.ts';
import type { Gap } from '../../domain/watch/gap.ts';
import type { GapRepository, ListPosition } from '../../ports.ts';
import { BY_STATE, stateShard, stateShards } from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import { echoKey, messageKey, parseChannelName, parseContactName } from '../../table/keys.ts';
import { NO_GAP } from '../../table/message-item.ts';
import { listShards } from './shard-list.ts';
import type { ConversationTable } from './table.ts';

/** Returns whether the message itself, or its echo, is stored, or was erased. */
const hasArrived = (message: Item | undefined, echo: Item | undefined): boolean =>
  message === undefined || message.direction !== undefined || message.erasedAt !== undefined || echo !== undefined;

/**
 * Creates the repository of gaps. The item of a message that has only statuses is listed as a `gap` in the index
 * `byState`, and as `missing` once it is known to be one. The arrival of the message removes it from both lists.
 */
export const createDynamodbGaps = (table: ConversationTable): GapRepository => {
  const list = async (
    state: 'gap' | 'missing',
    {
      before,
      limit,
      after,
    }: { readonly before?: string; readonly limit: number; readonly after?: ListPosition | undefined },
  ) => {
    const { entries, nextAfter } = await listShards(table, {
      index: BY_STATE,
      shards: stateShards(state),
      ...(before !== undefined && { to: before }),
      keyOf: messageKey,
      limit,
      ...(after && { after }),
    });
    const found = await table.getAll(entries.flatMap(({ id }) => [messageKey(id), echoKey(id)]));
    const next = nextAfter(entries.length);
    return {
      entries: entries.map(({ id, sort }, index) => {
        const [message, echo] = found.slice(2 * index, 2 * index + 2);
        const { firstStatusAt, contact, statusChannel, stateAt, stateShard: shard } = message ?? {};
        const gap: Gap = {
          messageId: id,
          firstStatusAt: typeof firstStatusAt === 'string' ? firstStatusAt : sort,
          contact: parseContactName(contact),
        };
        // The index may still list an item that has left the list a moment ago.
        const isListed = stateAt === sort && shard === stateShard(state, id);
        return { gap, channel: parseChannelName(statusChannel), isListed, hasArrived: hasArrived(message, echo) };
      }),
      ...(next && { next }),
    };
  };

  return {
    async listCandidates(page) {
      const { entries, next } = await list('gap', page);
      const candidates = entries
        .filter(({ isListed }) => isListed)
        .map(({ gap, channel, hasArrived }) => ({ ...gap, channel, hasArrived }));
      return { candidates, ...(next && { next }) };
    },

    async listMissing(page) {
      const { entries, next } = await list('missing', page);
      const gaps = entries.filter((entry) => entry.isListed && !entry.hasArrived).map(({ gap }) => gap);
      return { gaps, ...(next && { next }) };
    },

    async confirm({ messageId, firstStatusAt }) {
      const { kind } = await table.update({
        key: messageKey(messageId),
        set: { missingSince: firstStatusAt, stateShard: stateShard('missing', messageId) },
        condition:
          'attribute_not_exists(#missingSince) AND attribute_exists(#stateAt) AND attribute_not_exists(#direction) ' +
          'AND attribute_not_exists(#erasedAt)',
      });
      return kind === 'written';
    },

    close: (messageId, at) => closeGap(table, messageId, at),
  };
};

/** Implements `close` of the repository, for `receive`, whose bundle then has nothing else of it. */
export const closeGap = async (table: ConversationTable, messageId: string, at: Instant): Promise<void> => {
  await table.update({
    key: messageKey(messageId),
    set: { ...NO_GAP, gapClosedAt: at },
    condition: 'attribute_exists(#stateShard)',
  });
};
