import { ANY_CHANNEL, type ContactRef } from '../../domain/contact.ts';
import type { Instant } from '../../domain/instant.ts';
import type { EchoedMessage } from '../../domain/likely-message.ts';
import type { EchoReader } from '../../ports.ts';
import { contactQuery, contactSort } from '../../table/indexes.ts';
import { contactName, echoKey, idOf, messageKey } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

/** More messages than the business writes to a contact within minutes. */
const MAX_ECHOES = 50;

/** Creates what reads the messages of the business that no send is known to have written. */
export const createDynamodbEchoes = (table: ConversationTable): EchoReader => ({
  async readUnclaimed(contact, from, until) {
    // An echo can name no business number.
    const contacts = contact.channel === ANY_CHANNEL ? [contact] : [contact, { ...contact, channel: ANY_CHANNEL }];
    const found = await Promise.all(contacts.map((each) => idsOf(table, each, from, until)));
    const ids = [...new Set(found.flat())];
    const items = await table.getAll(ids.flatMap((id) => [messageKey(id), echoKey(id)]));
    return ids.flatMap((id, index): EchoedMessage[] => {
      const [message, echo] = items.slice(2 * index, 2 * index + 2);
      const { createdAt, body } = echo ?? {};
      const isClaimed = message?.requestId !== undefined;
      return isClaimed || typeof createdAt !== 'string' || typeof body !== 'string' ? [] : [{ id, createdAt, body }];
    });
  },
});

const idsOf = async (
  table: ConversationTable,
  contact: ContactRef,
  from: Instant,
  until: Instant,
): Promise<readonly string[]> => {
  const { items } = await table.query({
    ...contactQuery(contactName(contact), contactSort('MESSAGE', from), contactSort('MESSAGE', until)),
    Limit: MAX_ECHOES,
  });
  return items.flatMap(({ pk, sk }) => (sk === 'ECHO' ? [idOf(pk)] : []));
};
