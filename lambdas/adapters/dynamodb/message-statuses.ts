import { idOfAnotherContact, WriteRefusedError } from '../../domain/errors.ts';
import { NO_REASON } from '../../domain/failure.ts';
import type { Instant } from '../../domain/instant.ts';
import { MAX_STATUS_BYTES, type StatusChange, type StatusKind } from '../../domain/webhook-event.ts';
import type { Clock, Failed, MessageRepository } from '../../ports.ts';
import { STATUS_SORT, stateShard } from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import { CUSTOMER_PREFIX, channelName, messageKey, subjectName } from '../../table/keys.ts';
import { parseMessage } from '../../table/message-item.ts';
import type { ItemUpdate } from './item-update.ts';
import { updateOwn } from './message-owner.ts';
import type { ConversationTable } from './table.ts';

export interface StatusesOptions {
  /** The clock by which messages of which only statuses have arrived become gaps; without it, they are not listed. */
  readonly gapClock: Clock | undefined;
}

/** Creates the part of the repository of messages that records their statuses. */
export const createMessageStatuses = (
  table: ConversationTable,
  { gapClock }: StatusesOptions,
): Pick<MessageRepository, 'recordStatus'> => ({
  async recordStatus(status) {
    const { id, literal, time, body } = status;
    const refusal =
      Buffer.byteLength(body) > MAX_STATUS_BYTES
        ? new WriteRefusedError(
            `The status ${literal.slice(0, 32)} is too large to be stored: it has more than ${MAX_STATUS_BYTES} bytes.`,
          )
        : undefined;
    // If a status is too large, only its time is stored, and only if that has an attribute of its own.
    const isOnlyTime = refusal !== undefined;
    if (isOnlyTime && !hasOwnTime(status.status)) throw refusal;
    const expiresAt = table.expiryOf('messages', time.at);
    const recorded = await updateOwn(table, status, statusUpdate(status, expiresAt, isOnlyTime), { returnItem: true });
    if (recorded === 'other-user') throw idOfAnotherContact(id);
    const { kind, item } = recorded;
    const bodies = item?.statusBodies;
    const isKept = isOnlyTime || kind === 'written' || (bodies instanceof Set && bodies.has(body));
    // An earlier report of the same status has taken precedence, but this one is kept as well.
    if (!isKept) {
      // An erasure may have deleted the item meanwhile, and another user's event may have created it again.
      const body = { key: messageKey(id), setOnce: statusItem(status, expiresAt), add: bodyOf(status) };
      if ((await updateOwn(table, status, body)) === 'other-user') throw idOfAnotherContact(id);
    }
    await nameContact(table, status, item?.contact);
    if (gapClock !== undefined) await listGap(table, status, item, gapClock.now());
    if (isOnlyTime) throw refusal;
    const { requestId, traceparent } = item ?? {};
    const failed = status.status === 'failed' ? failureIn(item) : undefined;
    return {
      traceparent: typeof traceparent === 'string' ? traceparent : status.traceparent,
      ...(typeof requestId === 'string' && { requestId }),
      ...(failed && { failed }),
    };
  },
});

/** Returns the earliest report that a message failed. */
export const failureIn = (item: Item | undefined): Failed | undefined => {
  const { failedAt: at, failure = NO_REASON } = parseMessage(item ?? {});
  return at === undefined ? undefined : { at, failure };
};

/** Returns the attributes that only the first status sets. The message itself, if it arrives, sets its own contact. */
const statusItem = ({ subject, traceparent }: StatusChange, expiresAt: number) => ({
  expiresAt,
  traceparent,
  ...(subject && { contact: subjectName(subject), contactSort: STATUS_SORT }),
});

/** A contact takes precedence over a customer, in whichever order their statuses arrive. */
const nameContact = async (table: ConversationTable, { id, subject }: StatusChange, stored: unknown): Promise<void> => {
  if (subject === undefined || 'customerId' in subject || !String(stored).startsWith(CUSTOMER_PREFIX)) return;
  await table.update({
    key: messageKey(id),
    set: { contact: subjectName(subject), contactSort: STATUS_SORT },
    values: { customer: stored },
    condition: '#contact = :customer',
  });
};

/**
 * Lists a message as a gap if only its statuses are known. Its echo may still be stored, in another item.
 *
 * The time in the list is when the first status was stored: a status that waited on a queue is stored long after its own
 * time, and its message may be waiting behind it.
 */
const listGap = async (
  table: ConversationTable,
  { id, time, channel }: StatusChange,
  item: Item | undefined,
  now: Instant,
): Promise<void> => {
  const isKnown = LISTED_OR_KNOWN.some((name) => item?.[name] !== undefined);
  if (item === undefined || isKnown) return;
  await table.update({
    key: messageKey(id),
    set: {
      stateShard: stateShard('gap', id),
      // The clocks of functions can differ.
      stateAt: time.at > now ? time.at : now,
      firstStatusAt: time.at,
      statusChannel: channel && channelName(channel),
    },
    // An erasure may have deleted the item meanwhile.
    condition: ['attribute_exists(#pk)', ...LISTED_OR_KNOWN.map((name) => `attribute_not_exists(#${name})`)].join(
      ' AND ',
    ),
  });
};

const LISTED_OR_KNOWN = ['direction', 'erasedAt', 'gapClosedAt', 'stateShard'];

const bodyOf = ({ body }: StatusChange) => ({ statusBodies: new Set([body]) });

/** Whether the item has an attribute for the status's time, and for nothing else of it. */
const hasOwnTime = (status: StatusKind): boolean => status !== 'failed' && status !== 'other';

/** A status may arrive before its message. It must not look like a message, nor make the message expire earlier. */
const statusUpdate = (change: StatusChange, expiresAt: number, isOnlyTime: boolean): ItemUpdate => {
  const { id, status, literal, time, body } = change;
  const common = {
    key: messageKey(id),
    setOnce: statusItem(change, expiresAt),
    ...(!isOnlyTime && { add: bodyOf(change) }),
  };
  switch (status) {
    case 'failed': {
      const failure = change.failure ?? NO_REASON;
      return {
        ...common,
        // Stores the body on its own, because the cause may be in fields that Parley does not know.
        set: { failedAt: time.at, failure, failedBody: body },
        condition:
          'attribute_not_exists(#failedAt) OR #failedAt > :failedAt OR (#failedAt = :failedAt AND ' +
          '(#failure > :failure OR (#failure = :failure AND #failedBody > :failedBody)))',
      };
    }
    case 'other':
      return {
        ...common,
        add: { otherStatuses: new Set([`${literal} ${time.at}`]), ...bodyOf(change) },
        // A repetition can have another time, if the event has none of its own.
        values: { body },
        condition: 'attribute_not_exists(#statusBodies) OR NOT contains(#statusBodies, :body)',
      };
    default: {
      const name = `${status}At`;
      return {
        ...common,
        set: { [name]: time.at },
        condition: `attribute_not_exists(#${name}) OR #${name} > :${name}`,
      };
    }
  }
};
