import { type ChannelHistory, slotOf } from '../../domain/watch/channel-rhythm.ts';
import type { ChannelRepository } from '../../ports.ts';
import { parseChannel, parseSlots, slotMember } from '../../table/channel-item.ts';
import { CHANNEL_LIST, stateQuery } from '../../table/indexes.ts';
import { channelDayKey, channelKey } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

/** More than a business has. Any others are not judged. */
const MAX_CHANNELS = 100;

/** Longer than the history that is read: six weeks. */
const DAY_EXPIRES_AFTER_SECONDS = 42 * 24 * 60 * 60;

/** Creates what `receive` needs of the repository, so that its bundle has nothing else. */
export const createDynamodbChannelNotes = (
  table: ConversationTable,
): Pick<ChannelRepository, 'register' | 'noteMessage' | 'noteEcho'> => ({
  async register(channel, at) {
    await table.update({
      key: channelKey(channel),
      set: { ...channel, firstSeenAt: at, stateShard: CHANNEL_LIST, stateAt: at },
      condition: 'attribute_not_exists(#firstSeenAt) OR #firstSeenAt > :firstSeenAt',
    });
  },

  async noteMessage(channel, at) {
    const { day, slot } = slotOf(at);
    const expiresAt = Date.parse(`${day}T00:00:00.000Z`) / 1000 + DAY_EXPIRES_AFTER_SECONDS;
    await table.update({
      key: channelDayKey(channel, day),
      set: { expiresAt },
      add: { slots: new Set([slotMember(slot)]) },
    });
  },

  async noteEcho(channel, at) {
    await table.update({
      key: channelKey(channel),
      set: { echoedAt: at },
      condition: 'attribute_not_exists(#echoedAt) OR #echoedAt < :echoedAt',
    });
  },
});

/**
 * Creates the repository of channels: an item for each, and one for each of its days with the slots in which a user
 * wrote. Writes can be repeated and can arrive in any order.
 */
export const createDynamodbChannels = (table: ConversationTable): ChannelRepository => ({
  ...createDynamodbChannelNotes(table),

  async list() {
    const { items } = await table.query({
      ...stateQuery(CHANNEL_LIST),
      Limit: MAX_CHANNELS,
    });
    const found = await table.getAll(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
    return found.filter((item) => item !== undefined).map(parseChannel);
  },

  async readDays(channel, days) {
    const found = await table.getAll(days.map((day) => channelDayKey(channel, day)));
    const known = found.flatMap((item, index): [string, ReadonlySet<number>][] => {
      const day = days[index];
      if (item === undefined || day === undefined) return [];
      return [[day, parseSlots(item)]];
    });
    return new Map(known) satisfies ChannelHistory['days'];
  },

  async recordWatch(channel, at, since) {
    await table.update({
      key: channelKey(channel),
      set: { watchedAt: at, ...(since !== undefined && { watchedSince: since }) },
      condition: 'attribute_exists(#firstSeenAt) AND (attribute_not_exists(#watchedAt) OR #watchedAt < :watchedAt)',
    });
  },

  async recordSilence(channel, since) {
    const { kind } = await table.update({
      key: channelKey(channel),
      set: { silentSince: since, spokeAt: undefined },
      condition:
        'attribute_exists(#firstSeenAt) AND (attribute_not_exists(#silentSince) OR #silentSince < :silentSince)',
    });
    return kind === 'written';
  },

  async endSilence(channel, since, spokeAt) {
    const { kind } = await table.update({
      key: channelKey(channel),
      set: { silentSince: undefined, spokeAt },
      values: { since },
      condition: '#silentSince = :since',
    });
    return kind === 'written';
  },
});
