import { ItemBusyError, idOfAnotherContact, WriteRefusedError } from '../../domain/errors.ts';
import * as z from '../../domain/schema.ts';
import type { Echo, InboundMessage } from '../../domain/webhook-event.ts';
import type { MessageRepository, RecordedMessage } from '../../ports.ts';
import { type Item, parseItem } from '../../table/item.ts';
import { contactName, messageKey, unknownNameKey } from '../../table/keys.ts';
import { parseMessage } from '../../table/message-item.ts';
import {
  type Arrival,
  arrivalKey,
  arrivalSubject,
  arrivalUser,
  contentAttributes,
  timeAttributes,
} from './arrival-attributes.ts';
import type { ItemUpdate } from './item-update.ts';
import { ofOwner, updateOwn } from './message-owner.ts';
import { recordVersion } from './message-versions.ts';
import type { ConversationTable } from './table.ts';
import { refusalUpdate, turnUpdate } from './turns.ts';

/** Creates the part of the repository of messages that records users' messages, echoes, and unknown events. */
export const createMessageArrivals = (
  table: ConversationTable,
): Pick<MessageRepository, 'recordInbound' | 'recordEcho' | 'recordUnknown' | 'recordUnknownName'> => ({
  async recordInbound(message, turn) {
    if (turn !== undefined) {
      const first = { ...arrivalUpdate(table, message), condition: IS_FIRST_ARRIVAL };
      const own = ofOwner(first, contactName(message.contact));
      const added = await table.updateBoth(own, turnUpdate(table, message, turn.startedAt));
      if (added === 'second-conflicts') {
        await table.update(refusalUpdate(message, turn.startedAt));
        throw new ItemBusyError('The turn has too many messages and has not ended yet.');
      }
      if (added === 'written') return { at: message.time.at };
      // The message is stored already. If an erasure removes it now, this write must not create it without a turn.
      return recordArrival(table, message, IS_REPEATED_ARRIVAL);
    }
    return recordArrival(table, message);
  },

  async recordEcho(echo) {
    return (await recordArrival(table, echo)).at;
  },

  async recordUnknown(event) {
    await table.update(arrivalUpdate(table, event));
  },

  async recordUnknownName(name, seenAt) {
    const setOnce = { firstSeenAt: seenAt, expiresAt: table.expiryOf('messages', seenAt) };
    const { item } = await table.update({ key: unknownNameKey(name), setOnce }, { returnItem: true });
    return parseItem(z.string(), item?.firstSeenAt);
  },
});

/**
 * Records an event that brings a user's message, or an echo.
 *
 * @param onlyIf an additional condition that the item must meet
 * @throws WriteRefusedError if the ID belongs to another user's message or to one that Parley sent, or if the message
 *   has too many versions
 * @throws ItemBusyError if the item does not meet `onlyIf`, or if other calls keep recording versions of the message
 */
const recordArrival = async (
  table: ConversationTable,
  arrival: InboundMessage | Echo,
  onlyIf?: typeof IS_REPEATED_ARRIVAL,
): Promise<RecordedMessage> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const recorded = await recordOnce(table, arrival, onlyIf);
    if (recorded !== undefined) return recorded;
  }
  throw new ItemBusyError('Other calls keep recording versions of the message.');
};

const MAX_ATTEMPTS = 10;

/** Returns undefined if another call recorded another version meanwhile. */
const recordOnce = async (
  table: ConversationTable,
  arrival: InboundMessage | Echo,
  onlyIf: typeof IS_REPEATED_ARRIVAL | undefined,
): Promise<RecordedMessage | undefined> => {
  const update = arrivalUpdate(table, arrival);
  const condition = onlyIf === undefined ? update.condition : `${onlyIf} AND ${update.condition}`;
  const recorded = await updateOwn(table, arrivalUser(arrival), { ...update, condition });
  if (recorded === 'other-user') throw idOfAnotherContact(arrival.id);
  if (recorded.kind === 'written') return { at: arrival.time.at };
  const { createdAt, requestId } = parseMessage(recorded.item ?? {});
  if (requestId !== undefined && arrival.isFromStatus === undefined) {
    throw new WriteRefusedError(`The message ${arrival.id} is one that Parley sent itself.`);
  }
  const isInNoTurn = recorded.item?.isFromStatus !== undefined || recorded.item?.isImported !== undefined;
  if (onlyIf !== undefined && (createdAt === undefined || isInNoTurn)) {
    await takeOver(table, arrival, recorded.item ?? {});
    throw new ItemBusyError(
      'The message was erased, stored from a status, or imported, while this event was being stored.',
    );
  }
  return recordVersion(table, arrival, recorded.item ?? {});
};

/**
 * Sets the contact in a message's item to that of the event, if the item has only statuses or an import so far and
 * names another address of the same user. Otherwise, no retry could store the message together with its turn.
 */
const takeOver = async (
  table: ConversationTable,
  { id, contact }: Arrival,
  { contact: stored }: Item,
): Promise<void> => {
  if (contact === undefined || stored === undefined || stored === contactName(contact)) return;
  await table.update({
    key: messageKey(id),
    set: { contact: contactName(contact) },
    values: { stored },
    condition:
      '#contact = :stored AND (attribute_not_exists(#createdAt) OR attribute_exists(#isFromStatus) OR ' +
      'attribute_exists(#isImported))',
  });
};

const arrivalUpdate = (table: ConversationTable, arrival: Arrival): ItemUpdate => ({
  key: arrivalKey(arrival),
  set: { ...contentAttributes(arrival), ...timeAttributes(table, arrival.time, arrivalSubject(arrival)) },
  condition: `attribute_not_exists(#requestId) AND (${precedence(arrival).join(' OR ')})`,
});

/** The condition that the message of an event is stored already, and therefore added to a turn. */
const IS_REPEATED_ARRIVAL =
  'attribute_exists(#createdAt) AND attribute_not_exists(#isFromStatus) AND attribute_not_exists(#isImported)';

/** The condition that an event is the first with its message, which is therefore in no turn yet. */
const IS_FIRST_ARRIVAL =
  'attribute_not_exists(#requestId) AND (attribute_not_exists(#createdAt) OR attribute_exists(#isFromStatus) OR ' +
  'attribute_exists(#isImported))';

/** Returns the conditions under which an event's message is stored in one write; one of them suffices. */
const precedence = ({ time, isFromStatus, isImported }: Arrival): readonly string[] => {
  const { source } = time;
  const isFirst = 'attribute_not_exists(#createdAt)';
  // A status's message is stored with the status as well, so replacing it loses nothing.
  const replacesStatus = 'attribute_exists(#isFromStatus)';
  // A history contains the same message with less detail, and the chat service keeps it.
  const replacesImport = 'attribute_exists(#isImported)';
  const isEarlier = '(#createdAt > :createdAt OR (#createdAt = :createdAt AND #body > :body))';
  // A redelivery arrives at another time, so a time of arrival never replaces a stored time.
  if (source === 'arrival') return isFromStatus ? [isFirst] : [isFirst, replacesStatus, replacesImport];
  if (isFromStatus) return [isFirst, `(${replacesStatus} AND ${isEarlier})`];
  if (isImported) return [isFirst, replacesStatus, `(${replacesImport} AND ${isEarlier})`];
  return [isFirst, replacesStatus, replacesImport, '(#createdAt > :createdAt AND #body = :body)'];
};
