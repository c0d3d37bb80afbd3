import { CHANNELS_KEY, channelOf } from '../../table/keys.ts';
import type { ItemUpdate } from './item-update.ts';
import { type ConversationTable, createTable, type TableOptions } from './table.ts';

/** The table as functions use it: a write about a contact of a business number registers the number first. */
export const createConversationTable = (options: TableOptions): ConversationTable => {
  const registered = registeredIn.get(options.tableName) ?? new Map<string, Promise<unknown>>();
  registeredIn.set(options.tableName, registered);
  return registeringChannels(createTable(options), registered);
};

/** The business numbers that this process has registered, by table. */
const registeredIn = new Map<string, Map<string, Promise<unknown>>>();

/**
 * Registers a business number before the first write about one of its contacts, because an erasure must find the
 * contact of every number. Each process writes a number once, so the item does not become hot.
 *
 * @param registered the numbers that this process has registered
 */
export const registeringChannels = (
  table: ConversationTable,
  registered: Map<string, Promise<unknown>>,
): ConversationTable => ({
  ...table,
  async update(update, updateOptions) {
    const channel = channelIn(update);
    if (channel !== undefined) await registerChannel(table, registered, channel);
    return table.update(update, updateOptions);
  },
  async updateBoth(first, second) {
    const channel = channelIn(first) ?? channelIn(second);
    if (channel !== undefined) await registerChannel(table, registered, channel);
    return table.updateBoth(first, second);
  },
});

const channelIn = ({ key, set, setOnce }: ItemUpdate) =>
  channelOf(key.pk) ?? channelOf(set?.contact) ?? channelOf(setOnce?.contact);

const registerChannel = async (
  table: ConversationTable,
  registered: Map<string, Promise<unknown>>,
  channel: string,
): Promise<void> => {
  const known = registered.get(channel);
  const registering =
    known ??
    table.update({
      key: CHANNELS_KEY,
      add: { channels: new Set([channel]) },
      values: { channel },
      condition: 'NOT contains(#channels, :channel)',
    });
  registered.set(channel, registering);
  try {
    await registering;
  } catch (error) {
    registered.delete(channel);
    throw error;
  }
};
