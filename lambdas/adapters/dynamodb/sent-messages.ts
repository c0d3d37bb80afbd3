import type { MessageRepository } from '../../ports.ts';
import { contactSort } from '../../table/indexes.ts';
import { contactName, echoKey, messageKey, parseContactName } from '../../table/keys.ts';
import { NO_GAP, parseMessage } from '../../table/message-item.ts';
import { updateOwn } from './message-owner.ts';
import { failureIn } from './message-statuses.ts';
import type { ConversationTable } from './table.ts';

/** Creates the part of the repository of messages that the sending of messages needs. */
export const createSentMessages = (
  table: ConversationTable,
): Pick<MessageRepository, 'recordOutbound' | 'readOrigin'> => ({
  async recordOutbound({ id, requestId, contact, customerId, call, claimedAt, attempt, traceparent }) {
    const set = {
      direction: 'outbound',
      contact: contactName(contact),
      contactSort: contactSort('MESSAGE', claimedAt),
      requestId,
      call,
      attempt,
      createdAt: claimedAt,
      expiresAt: table.expiryOf('messages', claimedAt),
      // An erased send has neither. A status may have given the item a trace.
      ...(traceparent && { traceparent }),
      ...(customerId !== undefined && { customerId }),
    };
    // A status does not say which call it belongs to, so its writer may assume the latest one. A writer that knows that
    // it belongs to an earlier call takes precedence.
    const isReplaceable =
      'attribute_not_exists(#erasedAt) AND (attribute_not_exists(#attempt) OR #attempt >= :attempt)';
    // Replaces a message that a status carried.
    const own = { subject: contact, requestId, kind: 'answer' } as const;
    let recorded = await updateOwn(
      table,
      own,
      {
        key: messageKey(id),
        set: { ...set, ...NO_GAP, body: undefined, createdAtSource: undefined, isFromStatus: undefined },
        condition: `${isReplaceable} AND (attribute_not_exists(#body) OR attribute_exists(#isFromStatus))`,
      },
      { returnItem: true },
    );
    if (recorded === 'other-user') return 'other-user';
    // A message of the same user has the same id. Its body stays.
    if (recorded.kind === 'conflict') {
      recorded = await table.update(
        { key: messageKey(id), set: { ...set, ...NO_GAP }, condition: `${isReplaceable} AND #contact = :contact` },
        { returnItem: true },
      );
    }
    return recorded.item?.requestId === requestId ? failureIn(recorded.item) : undefined;
  },

  async readOrigin(id) {
    const [message, echo] = await table.getAll([messageKey(id), echoKey(id)]);
    const item = message?.direction === undefined ? echo : message;
    const { createdAt } = parseMessage(item ?? {});
    return createdAt === undefined ? undefined : { createdAt, contact: parseContactName(item?.contact) };
  },
});
