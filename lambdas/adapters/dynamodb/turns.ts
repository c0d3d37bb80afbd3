import type { ContactRef } from '../../domain/contact.ts';
import type { Instant } from '../../domain/instant.ts';
import { isFull, MAX_STORED_MESSAGES } from '../../domain/turns/turn.ts';
import type { InboundMessage } from '../../domain/webhook-event.ts';
import type { TurnRepository } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { idOf, messageKey, parseContactName, turnKeyOf } from '../../table/keys.ts';
import type { ItemUpdate } from './item-update.ts';
import type { ConversationTable } from './table.ts';

/** Creates the repository of turns. The item of a turn exists until the turn ends. */
export const createDynamodbTurns = (table: ConversationTable): TurnRepository => ({
  async end(turn) {
    const { contact, firstMessageId, startedAt, messageCount } = turn;
    // A message that was added since restarts the silence, unless the turn is full.
    const isSame = `#firstMessageId = :firstMessageId AND #startedAt = :startedAt`;
    const isComplete = `#messageCount ${isFull(turn) ? '>=' : '='} :messageCount`;
    const values = { firstMessageId, startedAt, messageCount };
    return table.delete(turnKeyOf(contact), `${isSame} AND ${isComplete}`, values);
  },

  async *readMessages({ contact, messageIds }) {
    for (let start = 0; start < messageIds.length; start += MESSAGES_PER_READ) {
      for (const item of await table.getAll(messageIds.slice(start, start + MESSAGES_PER_READ).map(messageKey))) {
        const message = messageIn(item, contact);
        if (message !== undefined) yield message;
      }
    }
  },
});

/** A message can have 400 KB, so a read returns at most 4 MB. */
const MESSAGES_PER_READ = 10;

/**
 * Returns a contact's message. After an erasure, its item can have only statuses. If two messages have the same ID, the
 * item can be that of another contact.
 */
const messageIn = (item: Item | undefined, { platform, key }: ContactRef) => {
  const owner = parseContactName(item?.contact);
  if (item?.direction !== 'inbound' || owner?.platform !== platform || owner.key !== key) return undefined;
  const { pk, createdAt, body, traceparent } = item;
  if (typeof createdAt !== 'string' || typeof body !== 'string') return undefined;
  return { id: idOf(pk), createdAt, body, ...(typeof traceparent === 'string' && { traceparent }) };
};

/** Returns the write that adds a message to its contact's open turn, or starts one. Fails if the turn has too many. */
export const turnUpdate = (
  table: Pick<ConversationTable, 'expiryOf'>,
  { contact, id }: InboundMessage,
  addedAt: Instant,
): ItemUpdate => ({
  key: turnKeyOf(contact),
  setOnce: { firstMessageId: id, startedAt: addedAt },
  // The expiry counts only if nothing ends the turn, for example because turns were turned off. Each message postpones
  // it: otherwise, DynamoDB could delete an old turn after a message was added to it, but before the turn ends.
  set: { addedAt, expiresAt: table.expiryOf('messages', addedAt) },
  add: { messageIds: new Set([id]) },
  // AWS does not document `size` of a missing attribute, so the count is a separate attribute.
  increment: ['messageCount'],
  values: { maxMessages: MAX_STORED_MESSAGES },
  condition: 'attribute_not_exists(#messageCount) OR #messageCount < :maxMessages',
});

/**
 * Returns the write that a turn with too many messages gets for each message that it refuses. It changes the item, so
 * that `publish` sees the turn again and ends it. Otherwise, if the stream's earlier changes of the turn were lost, the
 * turn would refuse all messages forever.
 */
export const refusalUpdate = ({ contact }: InboundMessage, refusedAt: Instant): ItemUpdate => ({
  key: turnKeyOf(contact),
  set: { refusedAt },
  values: { maxMessages: MAX_STORED_MESSAGES },
  condition: '#messageCount >= :maxMessages',
});

/**
 * Implements `endOpenTurn` of the port `ErasureRepository`. Ending the turn leaves its newer messages, if any, in a turn of
 * their own.
 */
export const endTurnBefore = async (table: ConversationTable, contact: ContactRef, until: Instant): Promise<void> => {
  await table.delete(turnKeyOf(contact), '#startedAt <= :until', { until });
};
