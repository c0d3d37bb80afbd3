import { ANY_CHANNEL, type ContactRef } from '../../domain/contact.ts';
import { describeDetails, describeMessage, withStatuses } from '../../domain/message.ts';
import { STATUS_TIMES } from '../../domain/message-status.ts';
import * as z from '../../domain/schema.ts';
import type { MessageRepository } from '../../ports.ts';
import { parseCustomerLinks } from '../../table/contact-item.ts';
import { contactQuery, contactSort } from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import { contactKeyOf, contactName, echoKey, idOf, messageKey, parseContactName } from '../../table/keys.ts';
import { parseMessage } from '../../table/message-item.ts';
import { createMessageArrivals } from './message-arrivals.ts';
import { createMessageStatuses, type StatusesOptions } from './message-statuses.ts';
import { readVersions } from './message-versions.ts';
import { readWithinBudget } from './page-budget.ts';
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
    const [stored, echo] = await table.getAll([messageKey(id), echoKey(id)]);
    const isEmptied = stored?.erasedAt !== undefined && CONTENT.every((name) => stored[name] === undefined);
    const message = isEmptied ? undefined : stored;
    if (message === undefined && echo === undefined) return undefined;
    const [parsed, parsedEcho] = [parseMessage(message ?? {}), echo && parseMessage(echo)];
    const digests = [...(parsed.versions ?? []), ...(parsedEcho?.versions ?? [])];
    return describeDetails(id, parsed, parsedEcho, await readVersions(table, id, digests));
  },

  async readConversation(contact, { limit, after }) {
    const name = contactName(contact);
    const { otherCustomerAt } = parseCustomerLinks((await table.get(contactKeyOf(contact))) ?? {});
    // What was written until then is the conversation of an earlier user of the number.
    const from = otherCustomerAt === undefined ? '' : `${otherCustomerAt}${AFTER_ALL}`;
    const page = await table.query({
      ...contactQuery(name, contactSort('MESSAGE', from), contactSort('MESSAGE', AFTER_ALL)),
      ScanIndexForward: false,
      Limit: limit,
      ...(after && { after: { ...after, contact: name } }),
    });
    const { values: messages, used } = await readWithinBudget(page.items, async (entries) => {
      // In pairs: an echo is shown with the statuses of its message.
      const pairs = await table.getAll(
        entries.flatMap(({ pk, sk }) => [
          messageKey(idOf(pk)),
          sk === 'ECHO' ? echoKey(idOf(pk)) : messageKey(idOf(pk)),
        ]),
      );
      return entries.map(({ pk, sk }, index) => {
        const [message, listed] = pairs.slice(2 * index, 2 * index + 2);
        // The index may still list an item that was deleted or erased a moment ago.
        if (listed?.direction === undefined) return undefined;
        const item = parseMessage(listed);
        if (sk !== 'ECHO') return describeMessage(idOf(pk), item);
        if (message !== undefined && isListedItself(message, contact)) return undefined;
        return describeMessage(idOf(pk), withStatuses(item, parseMessage(message ?? {})));
      });
    });
    const { pk, sk, contactSort: sort } = (used < page.items.length ? page.items[used - 1] : page.next) ?? {};
    const next = pk === undefined ? undefined : z.parse(position, { pk, sk, contactSort: sort });
    return { messages, ...(next && { next }) };
  },
});

/** Sorts after all times that begin alike. */
const AFTER_ALL = '~';

/** A position among the messages of a contact, which every position names. */
const position = z.record(z.string(), z.string());

/** The attributes that show that an item has a message or a status, and not only the mark of an erased message. */
const CONTENT = ['direction', 'statusBodies', ...STATUS_TIMES, 'otherStatuses'];

/**
 * Whether a message is itself listed, so that its echo in a contact's conversation would repeat it. An item that has
 * only statuses is not listed.
 */
const isListedItself = (message: Item, { platform, channel, key }: ContactRef): boolean => {
  if (message.direction === undefined) return false;
  const own = parseContactName(message.contact);
  // An echo that names no business number repeats a message of any number.
  return own?.platform === platform && own.key === key && (own.channel === channel || channel === ANY_CHANNEL);
};
