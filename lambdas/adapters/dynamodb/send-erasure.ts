import { addMs } from '../../domain/instant.ts';
import { SEND_TRANSITIONS } from '../../domain/send-transitions.ts';
import type { ErasableItem } from '../../ports.ts';
import { CUSTOMER_PREFIX, contactName, messageKey, parseContactName, sendKey } from '../../table/keys.ts';
import { EMPTIED_MESSAGE } from '../../table/message-item.ts';
import { erasedAttributes } from '../../table/send-item.ts';
import { createTransitions } from './send-writes.ts';
import type { ConversationTable } from './table.ts';

/**
 * Empties the message of a send, which can be newer than the erasure, and marks it as erased, even if it is not stored
 * yet. A function that knows the message, from the answer to its call or from a status, can write it at any time. The
 * mark blocks a later write.
 */
const markAsErased = async (table: ConversationTable, messageId: string, requestId: string, at: string) => {
  await table.update({
    key: messageKey(messageId),
    set: EMPTIED_MESSAGE,
    setOnce: { erasedAt: at, expiresAt: table.expiryOf('messages', at) },
    values: { requestId },
    // Does not erase another message with the same id.
    condition: 'attribute_not_exists(#createdAt) OR #requestId = :requestId OR attribute_exists(#isFromStatus)',
  });
};

/** The states in which an erasure cancels a send, because it would otherwise be sent. */
const PENDING = Object.keys(SEND_TRANSITIONS.cancelErased.from);

/**
 * The longest time that a function can wait for a response, because an invocation lasts at most 15 minutes.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_CALL_MS = 15 * 60 * 1000;

/**
 * Erases the content of a send and all of its messages. A send can have several, because a status can name the message
 * of an earlier call. Keeps the item, so that the request is not sent again if it is queued again. Cancels the send if
 * it is pending. Leaves it for the next pass if a function has claimed it, or if only a status has confirmed it: the
 * function that waits for the answer could then write a message with another ID. If the function that claimed it died,
 * the outcome of its call is never recorded, so the send becomes uncertain.
 */
export const eraseSend = async (
  table: ConversationTable,
  item: ErasableItem,
  contact: string,
  at: string,
): Promise<'erased' | 'lost' | 'gone' | 'busy'> => {
  const { id: requestId, messageIds = [] } = item;
  await Promise.all(messageIds.map((messageId) => markAsErased(table, messageId, requestId, at)));
  // Another message may have been recorded for the send since it was listed.
  const isKnown = messageIds.length > 0;
  const sameMessages = isKnown ? '#messageIds = :messageIds' : 'attribute_not_exists(#messageIds)';
  const emptied = erasedAttributes(at);
  const pending = Object.fromEntries(PENDING.map((state) => [state, state]));
  const isPending = `#state IN (${PENDING.map((state) => `:${state}`).join(', ')})`;
  const ended = await table.update({
    key: sendKey(requestId),
    set: emptied,
    values: {
      ofContact: contact,
      claimed: 'claimed',
      ...(isKnown && { messageIds: new Set(messageIds) }),
      answeredBy: addMs(at, -MAX_CALL_MS),
      ...pending,
    },
    condition:
      `#contact = :ofContact AND NOT ${isPending} AND #state <> :claimed AND ${sameMessages} ` +
      'AND (attribute_not_exists(#confirmedBy) OR attribute_not_exists(#claimedAt) OR #claimedAt < :answeredBy)',
  });
  if (ended.kind === 'written') return 'erased';
  if (ended.item?.contact === undefined) return 'gone';
  if (ended.item.contact !== contact) {
    // A claim has just chosen an address of the customer, whose own erasure may be done.
    const address = contact.startsWith(CUSTOMER_PREFIX) ? parseContactName(ended.item.contact) : undefined;
    const { messageIds: stored } = ended.item;
    const moved = { ...item, messageIds: stored instanceof Set ? [...stored].map(String) : [] };
    return address === undefined ? 'gone' : eraseSend(table, moved, contactName(address), at);
  }
  const erase = async (name: 'cancelErased' | 'loseTrackErased', time: 'cancelledAt' | 'uncertainAt') => {
    const update = { set: { ...emptied, [time]: at } };
    return (await createTransitions(table).apply(name, requestId, update, { contact })).kind === 'written';
  };
  if (await erase('cancelErased', 'cancelledAt')) return 'erased';
  return (await erase('loseTrackErased', 'uncertainAt')) ? 'lost' : 'busy';
};
