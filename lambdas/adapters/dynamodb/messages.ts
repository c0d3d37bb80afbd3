import { describeDetails } from '../../domain/message.ts';
import { STATUS_TIMES } from '../../domain/message-status.ts';
import type { MessageRepository } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { echoKey, messageKey } from '../../table/keys.ts';
import { parseMessage } from '../../table/message-item.ts';
import { readConversation } from './conversations.ts';
import { readFirstInbound } from './first-message.ts';
import { createMessageArrivals } from './message-arrivals.ts';
import { createMessageStatuses, type StatusesOptions } from './message-statuses.ts';
import { canBeEchoOf, type ReadItem } from './message-user.ts';
import { readVersions } from './message-versions.ts';
import { createSentMessages } from './sent-messages.ts';
import type { ConversationTable } from './table.ts';

/**
 * Creates the repository of messages. The earliest version of a message or an echo and the earliest time of a status
 * win, so writes can be repeated and can arrive in any order.
 */
export const createDynamodbMessages = (table: ConversationTable, options: StatusesOptions): MessageRepository => ({
  ...createMessageArrivals(table),
  ...createMessageStatuses(table, options),
  ...createSentMessages(table),

  async read(id) {
    const [stored, storedEcho] = await table.getAll([messageKey(id), echoKey(id)]);
    const isEmptied = stored?.erasedAt !== undefined && CONTENT.every((name) => stored[name] === undefined);
    const { message, echo } = await ofOneUser(table.get, isEmptied ? undefined : stored, storedEcho);
    if (message === undefined && echo === undefined) return undefined;
    const [parsed, parsedEcho] = [parseMessage(message ?? {}), echo && parseMessage(echo)];
    const digests = [...(parsed.versions ?? []), ...(parsedEcho?.versions ?? [])];
    return describeDetails(id, parsed, parsedEcho, await readVersions(table, id, digests));
  },

  readFirstInbound: (contact, after) => readFirstInbound(table, contact, after),

  readConversation: (parts, page) => readConversation(table, parts, page),
});

/** Leaves out an echo of another user, or the statuses of another user's message beside it. */
const ofOneUser = async (read: ReadItem, message: Item | undefined, echo: Item | undefined) => {
  if (message === undefined || echo === undefined || (await canBeEchoOf(read, message, echo))) return { message, echo };
  return message.direction === undefined ? { echo } : { message };
};

/** The attributes that show that an item has a message or a status, and not only the mark of an erased message. */
const CONTENT = ['direction', 'statusBodies', ...STATUS_TIMES, 'otherStatuses'];
