import { ANY_CHANNEL, type ContactRef } from '../../domain/contact.ts';
import { ItemBusyError, WriteRefusedError } from '../../domain/errors.ts';
import { NO_REASON } from '../../domain/failure.ts';
import type { Instant } from '../../domain/instant.ts';
import { describeDetails, describeMessage, withStatuses } from '../../domain/message.ts';
import { STATUS_TIMES } from '../../domain/message-status.ts';
import * as z from '../../domain/schema.ts';
import type { Traceparent } from '../../domain/trace-context.ts';
import {
  type Echo,
  type InboundMessage,
  MAX_STATUS_BYTES,
  type StatusChange,
  type StatusKind,
  type UnknownEvent,
} from '../../domain/webhook-event.ts';
import type { Clock, Failed, MessageRepository } from '../../ports.ts';
import { BY_CONTACT, contactSort, STATUS_SORT, stateShard } from '../../table/indexes.ts';
import { type Item, parseItem } from '../../table/item.ts';
import {
  CUSTOMER_PREFIX,
  channelName,
  contactName,
  echoKey,
  idOf,
  messageKey,
  parseContactName,
  subjectName,
  unknownNameKey,
} from '../../table/keys.ts';
import { NO_GAP, parseMessage } from '../../table/message-item.ts';
import type { ItemUpdate } from './item-update.ts';
import { readWithinBudget } from './page-budget.ts';
import type { ConversationTable } from './table.ts';
import { refusalUpdate, turnUpdate } from './turns.ts';

export interface MessagesOptions {
  /** The clock by which messages of which only statuses have arrived become gaps; without it, they are not listed. */
  readonly gapClock: Clock | undefined;
}

/**
 * Creates the repository of messages. The earliest version of a message or an echo and the earliest time of a status
 * win, so writes can be repeated and can arrive in any order.
 */
export const createDynamodbMessages = (table: ConversationTable, { gapClock }: MessagesOptions): MessageRepository => ({
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

  async recordEcho(echo) {
    return recordArrival(table, echo);
  },

  async recordUnknown(event) {
    await table.update(arrivalUpdate(table, event));
  },

  async recordUnknownName(name, seenAt) {
    const setOnce = { firstSeenAt: seenAt, expiresAt: table.expiryOf('messages', seenAt) };
    const { item } = await table.update({ key: unknownNameKey(name), setOnce }, { returnItem: true });
    return parseItem(z.string(), item?.firstSeenAt);
  },

  async recordStatus(status) {
    const { id, literal, time, body } = status;
    const isTooLarge = Buffer.byteLength(body) > MAX_STATUS_BYTES;
    const isOnlyTime = isTooLarge && hasOwnTime(status.status);
    const expiresAt = table.expiryOf('messages', time.at);
    let stored: Item | undefined;
    if (!isTooLarge || isOnlyTime) {
      const recorded = await table.update(statusUpdate(status, expiresAt, isTooLarge), { returnItem: true });
      stored = recorded.item;
      const isKept = isTooLarge || recorded.kind === 'written' || hasMember(recorded.item?.statusBodies, body);
      // An earlier report of the same status has taken precedence, but this one is kept as well.
      if (!isKept) {
        await table.update({ key: messageKey(id), setOnce: statusItem(status, expiresAt), add: bodyOf(status) });
      }
      await nameContact(table, status, recorded.item?.contact);
      if (gapClock !== undefined) await listGap(table, status, recorded.item, gapClock.now());
    }
    if (isTooLarge) {
      throw new WriteRefusedError(
        `The status ${literal.slice(0, 32)} is too large to be stored: it has more than ${MAX_STATUS_BYTES} bytes.`,
      );
    }
    const requestId = stored?.requestId;
    const failed = status.status === 'failed' ? failureIn(stored) : undefined;
    return {
      traceparent: storedTrace(stored) ?? status.traceparent,
      ...(typeof requestId === 'string' && { requestId }),
      ...(failed && { failed }),
    };
  },

  async recordOutbound({ id, requestId, contact, call, claimedAt, attempt, traceparent }) {
    const set = {
      direction: 'outbound',
      contact: contactName(contact),
      contactSort: contactSort('MESSAGE', claimedAt),
      requestId,
      call,
      attempt,
      createdAt: claimedAt,
      expiresAt: table.expiryOf('messages', claimedAt),
      // An erased send has none. A status may have given the item one.
      ...(traceparent && { traceparent }),
    };
    // A status does not say which call it belongs to, so its writer may assume the latest one. A writer that knows that
    // it belongs to an earlier call takes precedence.
    const isReplaceable =
      'attribute_not_exists(#erasedAt) AND (attribute_not_exists(#attempt) OR #attempt >= :attempt)';
    // Replaces a message that a status carried.
    let recorded = await table.update(
      {
        key: messageKey(id),
        set: { ...set, ...NO_GAP, body: undefined, createdAtSource: undefined, isFromStatus: undefined },
        condition: `${isReplaceable} AND (attribute_not_exists(#body) OR attribute_exists(#isFromStatus))`,
      },
      { returnItem: true },
    );
    // A user's message has the same id. Its body stays.
    if (recorded.kind === 'conflict') {
      recorded = await table.update(
        { key: messageKey(id), set: { ...set, ...NO_GAP }, condition: isReplaceable },
        { returnItem: true },
      );
    }
    return recorded.item?.requestId === requestId ? failureIn(recorded.item) : undefined;
  },

  async read(id) {
    const [stored, echo] = await table.getAll([messageKey(id), echoKey(id)]);
    const message = stored && isEmptied(stored) ? undefined : stored;
    if (message === undefined && echo === undefined) return undefined;
    return describeDetails(id, parseMessage(message ?? {}), echo && parseMessage(echo));
  },

  async readOrigin(id) {
    const [message, echo] = await table.getAll([messageKey(id), echoKey(id)]);
    const item = message?.direction === undefined ? echo : message;
    const { createdAt } = parseMessage(item ?? {});
    return createdAt === undefined ? undefined : { createdAt, contact: parseContactName(item?.contact) };
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
        // The index may still list an item that was deleted or erased a moment ago.
        if (listed?.direction === undefined) return undefined;
        const item = parseMessage(listed);
        if (sk !== 'ECHO') return describeMessage(idOf(pk), item);
        if (message !== undefined && isListedItself(message, contact)) return undefined;
        return describeMessage(idOf(pk), withStatuses(item, parseMessage(message ?? {})));
      });
    });
    const next = used < page.items.length ? page.items[used - 1] : page.next;
    return { messages, ...(next && { next: positionOf(next) }) };
  },
});

/** Returns an entry's position among the messages of a contact, which every position names. */
const positionOf = ({ pk, sk, contactSort }: Item) =>
  z.parse(z.record(z.string(), z.string()), { pk, sk, contactSort });

/** The attributes that show that an item has a message or a status. */
const CONTENT = ['direction', 'statusBodies', ...STATUS_TIMES, 'otherStatuses'];

/** Whether an item has only the mark of an erased message. */
const isEmptied = (item: Item): boolean =>
  item.erasedAt !== undefined && CONTENT.every((name) => item[name] === undefined);

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

/**
 * Records an event that brings a user's message, or an echo. Returns the time of its item.
 *
 * @param onlyIf a condition that the item must meet besides
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

/** Returns the earliest report that a message failed. */
const failureIn = (item: Item | undefined): Failed | undefined => {
  const { failedAt: at, failure = NO_REASON } = parseMessage(item ?? {});
  return at === undefined ? undefined : { at, failure };
};

const storedTrace = (item: Item | undefined): Traceparent | undefined =>
  typeof item?.traceparent === 'string' ? item.traceparent : undefined;

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
  // The history has the message as well, in fewer words.
  const replacesImport = 'attribute_exists(#isImported)';
  const isEarlier = '(#createdAt > :createdAt OR (#createdAt = :createdAt AND #body > :body))';
  // A repetition arrives at another time, so an arrival replaces no time that is stored.
  if (source === 'arrival') return isFromStatus ? [isFirst] : [isFirst, replacesStatus, replacesImport];
  if (isFromStatus) return [isFirst, `(${replacesStatus} AND ${isEarlier})`];
  if (isImported) return [isFirst, replacesStatus, `(${replacesImport} AND ${isEarlier})`];
  return [isFirst, replacesStatus, replacesImport, isEarlier];
};

/** Returns what the first status gives the item. A message that has arrived, or arrives later, has its own contact. */
const statusItem = ({ subject, traceparent }: StatusChange, expiresAt: number) => ({
  expiresAt,
  traceparent,
  ...(subject && { contact: subjectName(subject), contactSort: STATUS_SORT }),
});

/** A contact takes the place of a customer, whichever status comes first. */
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
 * Lists a message as a gap if only its statuses are known. Its echo may be stored all the same, beside this item.
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

const hasMember = (set: unknown, member: string): boolean => set instanceof Set && set.has(member);

/** Whether the item has an attribute for the status's time. */
const hasOwnTime = (status: StatusKind): status is 'sent' | 'delivered' | 'read' | 'answered' =>
  status === 'sent' || status === 'delivered' || status === 'read' || status === 'answered';

/** A status may arrive before its message. It must not look like a message, nor make the message expire earlier. */
const statusUpdate = (change: StatusChange, expiresAt: number, isOnlyTime: boolean): ItemUpdate => {
  const { id, status, literal, time, body } = change;
  const common = {
    key: messageKey(id),
    setOnce: statusItem(change, expiresAt),
    ...(!isOnlyTime && { add: bodyOf(change) }),
  };
  switch (status) {
    case 'sent':
    case 'delivered':
    case 'read':
    case 'answered': {
      const name = `${status}At`;
      return {
        ...common,
        set: { [name]: time.at },
        condition: `attribute_not_exists(#${name}) OR #${name} > :${name}`,
      };
    }
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
  }
};
