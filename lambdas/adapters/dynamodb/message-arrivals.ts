import { ItemBusyError, WriteRefusedError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import type { Echo, InboundMessage, UnknownEvent } from '../../domain/webhook-event.ts';
import type { MessageRepository } from '../../ports.ts';
import { contactSort } from '../../table/indexes.ts';
import { parseItem } from '../../table/item.ts';
import { echoKey, messageKey, subjectName, unknownNameKey } from '../../table/keys.ts';
import { NO_GAP, parseMessage } from '../../table/message-item.ts';
import type { ItemUpdate } from './item-update.ts';
import type { ConversationTable } from './table.ts';
import { refusalUpdate, turnUpdate } from './turns.ts';

/** Creates the part of the repository of messages that records users' messages, echoes, and unknown events. */
export const createMessageArrivals = (
  table: ConversationTable,
): Pick<MessageRepository, 'recordInbound' | 'recordEcho' | 'recordUnknown' | 'recordUnknownName'> => ({
  async recordInbound(message, turn) {
    if (turn !== undefined) {
      const first = { ...arrivalUpdate(table, message), condition: IS_FIRST_ARRIVAL };
      const added = await table.updateBoth(first, turnUpdate(table, message, turn.startedAt));
      if (added === 'second-conflicts') {
        await table.update(refusalUpdate(message, turn.startedAt));
        throw new ItemBusyError('The turn has too many messages and has not ended yet.');
      }
      if (added === 'written') return message.time.at;
      // The message is stored already. If an erasure removes it now, this write must not create it without a turn.
      return recordArrival(table, message, IS_REPEATED_ARRIVAL);
    }
    return recordArrival(table, message);
  },

  recordEcho: (echo) => recordArrival(table, echo),

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
 * Records an event that brings a user's message, or an echo. Returns the time of its item.
 *
 * @param onlyIf an additional condition that the item must meet
 * @throws WriteRefusedError if the id is that of a message that Parley sent
 * @throws ItemBusyError if the item does not meet `onlyIf`
 */
const recordArrival = async (
  table: ConversationTable,
  arrival: InboundMessage | Echo,
  onlyIf?: typeof IS_REPEATED_ARRIVAL,
): Promise<Instant> => {
  const update = arrivalUpdate(table, arrival);
  const condition = onlyIf === undefined ? update.condition : `${onlyIf} AND ${update.condition}`;
  const recorded = await table.update({ ...update, condition });
  if (recorded.kind === 'written') return arrival.time.at;
  const { createdAt, requestId } = parseMessage(recorded.item ?? {});
  if (requestId !== undefined && arrival.isFromStatus === undefined) {
    throw new WriteRefusedError(`The message ${arrival.id} is one that Parley sent itself.`);
  }
  const isInNoTurn = recorded.item?.isFromStatus !== undefined || recorded.item?.isImported !== undefined;
  if (onlyIf !== undefined && (createdAt === undefined || isInNoTurn)) {
    throw new ItemBusyError(
      'The message was erased, stored from a status, or imported, while this event was being stored.',
    );
  }
  return createdAt ?? arrival.time.at;
};

const arrivalUpdate = (table: ConversationTable, arrival: InboundMessage | Echo | UnknownEvent): ItemUpdate => {
  const { kind, id, time, body, isFromStatus, isImported, traceparent } = arrival;
  const subject = arrival.contact ?? ('customer' in arrival ? arrival.customer : undefined);
  return {
    key: kind === 'echo' ? echoKey(id) : messageKey(id),
    set: {
      direction: kind === 'message' ? 'inbound' : kind,
      contact: subject && subjectName(subject),
      contactSort: subject && contactSort('MESSAGE', time.at),
      createdAt: time.at,
      createdAtSource: time.source,
      body,
      isFromStatus,
      isImported,
      traceparent,
      expiresAt: table.expiryOf('messages', time.at),
      // The statuses of an echo are in another item.
      ...(kind !== 'echo' && NO_GAP),
    },
    condition: `attribute_not_exists(#requestId) AND (${precedence(arrival).join(' OR ')})`,
  };
};

/** The condition that the message of an event is stored already, and therefore added to a turn. */
const IS_REPEATED_ARRIVAL =
  'attribute_exists(#createdAt) AND attribute_not_exists(#isFromStatus) AND attribute_not_exists(#isImported)';

/** The condition that an event is the first with its message, which is therefore in no turn yet. */
const IS_FIRST_ARRIVAL =
  'attribute_not_exists(#requestId) AND (attribute_not_exists(#createdAt) OR attribute_exists(#isFromStatus) OR ' +
  'attribute_exists(#isImported))';

/** Returns the conditions under which an event is stored as its message; one of them suffices. */
const precedence = ({ time, isFromStatus, isImported }: InboundMessage | Echo | UnknownEvent): readonly string[] => {
  const { source } = time;
  const isFirst = 'attribute_not_exists(#createdAt)';
  // A status's message is stored with the status as well, so replacing it loses nothing.
  const replacesStatus = 'attribute_exists(#isFromStatus)';
  // A history contains the same message with less detail.
  const replacesImport = 'attribute_exists(#isImported)';
  const isEarlier = '(#createdAt > :createdAt OR (#createdAt = :createdAt AND #body > :body))';
  // A redelivery arrives at another time, so a time of arrival never replaces a stored time.
  if (source === 'arrival') return isFromStatus ? [isFirst] : [isFirst, replacesStatus, replacesImport];
  if (isFromStatus) return [isFirst, `(${replacesStatus} AND ${isEarlier})`];
  if (isImported) return [isFirst, replacesStatus, `(${replacesImport} AND ${isEarlier})`];
  return [isFirst, replacesStatus, replacesImport, isEarlier];
};
