import {
  conversationPosition,
  describeMessage,
  eventBody,
  type MessageItem,
  messageItem,
} from '../../domain/message.ts';
import * as z from '../../domain/schema.ts';
import type { Echo, StatusChange } from '../../domain/webhook-event.ts';
import type { MessageRepository } from '../../ports.ts';
import { BY_CONTACT, contactName, contactSort, idOf, messageKey } from './keys.ts';
import type { ConversationTable, Item, ItemUpdate } from './table.ts';

/**
 * Creates the repository of messages. The earliest version of a message and the earliest time of a status win, so
 * writes can be repeated and can arrive in any order.
 */
export const createDynamodbMessages = (table: ConversationTable): MessageRepository => ({
  async recordInbound({ id, contact, time, body }) {
    await table.update({
      key: messageKey(id),
      set: {
        direction: 'inbound',
        contact: contactName(contact),
        contactSort: contactSort('MESSAGE', time.at),
        createdAt: time.at,
        createdAtSource: time.source,
        body,
        expiresAt: table.expiryOf(time.at),
      },
      condition:
        'attribute_not_exists(#createdAt) OR #createdAt > :createdAt OR (#createdAt = :createdAt AND #body > :body)',
    });
  },

  recordEcho: (echo) => recordEcho(table, echo),

  async recordStatus(status) {
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
    const item = await table.get(messageKey(id));
    if (item === undefined) return undefined;
    const message = parseMessage(item);
    const body = eventBody(message);
    return { ...describeMessage(id, message), ...(body !== undefined && { body }) };
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
    const items = await table.getAll(page.items.map(({ pk }) => messageKey(idOf(pk))));
    return {
      messages: items
        // The index may still list an item that was just deleted.
        .filter((item) => item !== undefined)
        .map((item) => describeMessage(idOf(item.pk), parseMessage(item))),
      ...(page.next && { next: parsePosition(page.next) }),
    };
  },
});

const parsePosition = ({ pk, sk, contactSort }: Item) => z.parse(conversationPosition, { pk, sk, contactSort });

const parseMessage = (item: unknown): MessageItem => z.parse(messageItem, item);

const EARLIER_ECHO =
  '(attribute_not_exists(#echoAt) OR #echoAt > :echoAt OR (#echoAt = :echoAt AND #echoBody > :echoBody))';

/** Attempts to record an echo. An erasure may delete the message between the two updates. */
const ECHO_ATTEMPTS = 3;

/**
 * Records an echo on the item of the message with the same id. An echo without a message appears in the conversation
 * itself, until the message arrives and takes its place.
 */
const recordEcho = async (table: ConversationTable, { id, contact, time, body }: Echo): Promise<void> => {
  const key = messageKey(id);
  const echo = { echoAt: time.at, echoAtSource: time.source, echoBody: body };
  const alone: ItemUpdate = {
    key,
    set: {
      ...echo,
      contact: contact && contactName(contact),
      contactSort: contact && contactSort('MESSAGE', time.at),
      expiresAt: table.expiryOf(time.at),
    },
    names: ['direction'],
    condition: `attribute_not_exists(#direction) AND ${EARLIER_ECHO}`,
  };
  const besideMessage: ItemUpdate = {
    key,
    set: echo,
    names: ['direction'],
    condition: `attribute_exists(#direction) AND ${EARLIER_ECHO}`,
  };
  let next = alone;
  for (let attempt = 0; attempt < ECHO_ATTEMPTS; attempt += 1) {
    const outcome = await table.update(next);
    if (outcome.kind === 'written') return;
    const update = outcome.item?.direction === undefined ? alone : besideMessage;
    // If the same update conflicts again, the item already has an earlier version of the echo.
    if (update === next) return;
    next = update;
  }
  throw new Error(`The item of message ${id} changed ${ECHO_ATTEMPTS} times while its echo was being recorded.`);
};

/** A status may arrive before its message. It must not look like a message, nor make the message expire earlier. */
const statusUpdate = ({ id, status, literal, time, body }: StatusChange, expiresAt: number): ItemUpdate => {
  const key = messageKey(id);
  const setOnce = { expiresAt };
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
