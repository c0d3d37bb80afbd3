import type { ContactRef } from '../../domain/contact.ts';
import type { Instant } from '../../domain/instant.ts';
import type { InboundMessage } from '../../domain/webhook-event.ts';
import type { TurnRepository } from '../../ports.ts';
import type { ItemUpdate } from './item-update.ts';
import { idOf, messageKey, turnKeyOf } from './keys.ts';
import type { ConversationTable, Item } from './table.ts';

/** Creates the repository of turns. The item of a turn exists until the turn ends. */
export const createDynamodbTurns = (table: ConversationTable): TurnRepository => ({
  async end({ contact, firstMessageId, startedAt, messages }, { isFull }) {
    // A message that was added since starts the silence again, unless the turn has as many as it may have.
    const isSame = `#firstMessageId = :firstMessageId AND #startedAt = :startedAt`;
    const isComplete = `size(#messageIds) ${isFull ? '>=' : '='} :messages`;
    const values = { firstMessageId, startedAt, messages };
    const names = ['firstMessageId', 'startedAt', 'messageIds'];
    return table.delete(turnKeyOf(contact), `${isSame} AND ${isComplete}`, values, names);
  },

  async readMessages(ids) {
    const items = await table.getAll(ids.map(messageKey));
    return items.flatMap((item) => messageIn(item) ?? []);
  },
});

/** Returns a user's message. An item can have lost it to an erasure, and can then have statuses only. */
const messageIn = (item: Item | undefined) => {
  if (item?.direction !== 'inbound') return undefined;
  const { pk, createdAt, body, traceparent } = item;
  if (typeof createdAt !== 'string' || typeof body !== 'string') return undefined;
  return { id: idOf(pk), createdAt, body, ...(typeof traceparent === 'string' && { traceparent }) };
};

/** Returns the write that adds a message to its contact's open turn, or starts one. */
export const turnUpdate = (
  table: Pick<ConversationTable, 'expiryOf'>,
  { contact, id }: InboundMessage,
  startedAt: Instant,
): Omit<ItemUpdate, 'condition'> => ({
  key: turnKeyOf(contact),
  // The expiry counts only if nothing ends the turn, for example because turns were turned off.
  setOnce: { firstMessageId: id, startedAt, expiresAt: table.expiryOf('messages', startedAt) },
  add: { messageIds: new Set([id]) },
});

/**
 * Implements `endTurn` of the port `ErasureRepository`. Ending the turn leaves its newer messages, if any, in a turn of
 * their own.
 */
export const endTurnBefore = async (table: ConversationTable, contact: ContactRef, until: Instant): Promise<void> => {
  await table.delete(turnKeyOf(contact), '#startedAt <= :until', { until }, ['startedAt']);
};
