import { WriteRefusedError } from '../../domain/errors.ts';
import {
  conversationPosition,
  describeMessage,
  type MessageItem,
  messageItem,
  withStatuses,
} from '../../domain/message.ts';
import * as z from '../../domain/schema.ts';
import type { Echo, InboundMessage, StatusChange } from '../../domain/webhook-event.ts';
import type { MessageRepository } from '../../ports.ts';
import { BY_CONTACT, contactName, contactSort, echoKey, idOf, messageKey, STATUS_SORT, subjectName } from './keys.ts';
import { readWithinBudget } from './page-budget.ts';
import { type ConversationTable, type Item, type ItemUpdate, parseItem } from './table.ts';

/**
 * Creates the repository of messages. The earliest version of a message or an echo and the earliest time of a status
 * win, so writes can be repeated and can arrive in any order.
 */
export const createDynamodbMessages = (table: ConversationTable): MessageRepository => ({
  async recordInbound(message) {
    await table.update(arrivalUpdate(table, message));
  },

  async recordEcho(echo) {
    await table.update(arrivalUpdate(table, echo));
  },

  async recordStatus(status) {
    if (Buffer.byteLength(keptText(status)) > MAX_STATUS_BYTES) {
      throw new WriteRefusedError(`The status is too large to be stored: it has more than ${MAX_STATUS_BYTES} bytes.`);
    }
    await table.update(statusUpdate(status, table.expiryOf(status.time.at)));
  },

  async recordOutbound({ id, requestId, contact, call, claimedAt }) {
    // No condition, because every writer of this message writes the same values.
    await table.update({
      key: messageKey(id),
      set: {
        direction: 'outbound',
        contact: contactName(contact),
        contactSort: contactSort('MESSAGE', claimedAt),
        requestId,
        call,
        createdAt: claimedAt,
        expiresAt: table.expiryOf(claimedAt),
      },
    });
  },

  async read(id) {
    const [message, echo] = await table.getAll([messageKey(id), echoKey(id)]);
    if (message === undefined && echo === undefined) return undefined;
    const shown = shownItem(parseMessage(message ?? {}), echo && parseMessage(echo));
    return { ...describeMessage(id, shown), ...(shown.body !== undefined && { body: shown.body }) };
  },

  async readConversation(contact, { limit, after }) {
    const name = contactName(contact);
    const page = await table.query({
      IndexName: BY_CONTACT,
      KeyConditionExpression: '#contact = :contact AND begins_with(#contactSort, :messages)',
      ExpressionAttributeNames: { '#contact': 'contact', '#contactSort': 'contactSort' },
      values: { contact: name, messages: contactSort('MESSAGE', '') },
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
        // The index may still list an item that was deleted a moment ago.
        if (listed === undefined) return undefined;
        const item = parseMessage(listed);
        if (sk !== 'ECHO') return describeMessage(idOf(pk), item);
        // A message of the same contact is listed itself, unless only statuses of it have arrived.
        if (message?.contact === name && message.direction !== undefined) return undefined;
        return describeMessage(idOf(pk), withStatuses(item, parseMessage(message ?? {})));
      });
    });
    const next = used < page.items.length ? page.items[used - 1] : page.next;
    return { messages, ...(next && { next: parsePosition(next) }) };
  },
});

const parsePosition = ({ pk, sk, contactSort }: Item) => z.parse(conversationPosition, { pk, sk, contactSort });

const parseMessage = (item: unknown): MessageItem => parseItem(messageItem, item);

/** Returns the message if it is more than statuses; otherwise its echo with them. */
const shownItem = (message: MessageItem, echo: MessageItem | undefined): MessageItem =>
  message.direction === undefined && echo !== undefined ? withStatuses(echo, message) : message;

/** The update of an event that brings a user's message, or an echo. */
const arrivalUpdate = (
  table: ConversationTable,
  event: Pick<InboundMessage, 'kind' | 'id' | 'contact' | 'time' | 'body'> | Echo,
): ItemUpdate => {
  const { kind, id, time, body } = event;
  const subject = event.contact ?? ('customer' in event ? event.customer : undefined);
  return {
    key: kind === 'echo' ? echoKey(id) : messageKey(id),
    set: {
      direction: kind === 'echo' ? 'echo' : 'inbound',
      contact: subject && subjectName(subject),
      contactSort: subject && contactSort('MESSAGE', time.at),
      createdAt: time.at,
      createdAtSource: time.source,
      body,
      expiresAt: table.expiryOf(time.at),
    },
    condition:
      'attribute_not_exists(#createdAt) OR #createdAt > :createdAt OR (#createdAt = :createdAt AND #body > :body)',
  };
};

/** A status shares its message's item: whatever their order, the message must fit in as well. */
const MAX_STATUS_BYTES = 64 * 1024;

/** Returns what is stored of a status besides its time. */
const keptText = ({ status, literal, body }: StatusChange): string =>
  status === 'failed' ? body : status === 'other' ? literal : '';

/** A status may arrive before its message. It must not look like a message, nor make the message expire earlier. */
const statusUpdate = ({ id, status, literal, time, body, subject }: StatusChange, expiresAt: number): ItemUpdate => {
  const key = messageKey(id);
  // A message that has arrived, or arrives later, has its own contact.
  const setOnce = { expiresAt, ...(subject && { contact: subjectName(subject), contactSort: STATUS_SORT }) };
  switch (status) {
    case 'sent':
    case 'delivered':
    case 'read': {
      const name = `${status}At`;
      const condition = `attribute_not_exists(#${name}) OR #${name} > :${name}`;
      return { key, set: { [name]: time.at }, setOnce, condition };
    }
    case 'failed':
      return {
        key,
        // Stores the body, because the cause is in fields that the contract does not specify.
        set: { failedAt: time.at, failedBody: body },
        setOnce,
        condition:
          'attribute_not_exists(#failedAt) OR #failedAt > :failedAt OR ' +
          '(#failedAt = :failedAt AND #failedBody > :failedBody)',
      };
    case 'other':
      return { key, setOnce, add: { otherStatuses: new Set([`${literal} ${time.at}`]) } };
  }
};
