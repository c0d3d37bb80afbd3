import type { ContactRef } from '../../domain/contact.ts';
import type { Instant } from '../../domain/instant.ts';
import { contactQuery, contactSort } from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import { contactName, idOf, messageKey } from '../../table/keys.ts';
import { parseMessage } from '../../table/message-item.ts';
import type { ConversationTable } from './table.ts';

/** A message can have 400 KB, so a read returns at most 4 MB. */
const MESSAGES_PER_READ = 10;

/** Implements `readFirstInbound` of the port `MessageRepository`. */
export const readFirstInbound = async (
  table: Pick<ConversationTable, 'getAll' | 'query'>,
  contact: ContactRef,
  after: Instant,
): Promise<Instant | undefined> => {
  let position: Item | undefined;
  do {
    const { items: entries, next } = await table.query({
      ...contactQuery(contactName(contact), contactSort('MESSAGE', `${after}!`), contactSort('MESSAGE', '~')),
      Limit: MESSAGES_PER_READ,
      ...(position && { after: position }),
    });
    const messages = entries.filter(({ sk }) => sk === 'MESSAGE').map(({ pk }) => messageKey(idOf(pk)));
    const items = messages.length === 0 ? [] : await table.getAll(messages);
    // A message in a status may not be the user's.
    const first = items.find((item) => item?.direction === 'inbound' && item.isFromStatus === undefined);
    if (first !== undefined) return parseMessage(first).createdAt;
    position = next;
  } while (position !== undefined);
  return undefined;
};
