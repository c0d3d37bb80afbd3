import { createHash } from 'node:crypto';
import type { ChannelCustomer, ContactRef } from '../../domain/contact.ts';
import { linkPeriod } from '../../domain/customer.ts';
import { addMs, type Instant } from '../../domain/instant.ts';
import { expiryAfter, expiryAfterDays } from '../../domain/retention.ts';
import type { InboundMessage } from '../../domain/webhook-event.ts';
import { WINDOW_MS } from '../../domain/window.ts';
import type { ContactRepository } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { checkKeyOf, contactKeyOf, denialKeyOf, handoverKeyOf } from '../../table/keys.ts';
import { recordConsent, untilDone } from './consents.ts';
import { customersWriting, IS_LINKED, linkCustomer } from './customer-links.ts';
import { unchangedSince } from './item-update.ts';
import type { ConversationTable } from './table.ts';

/** What functions record about contacts. Those that only record cannot read items. */
export type ContactWrites = Pick<
  ContactRepository,
  | 'denyWindow'
  | 'linkCustomer'
  | 'openWindow'
  | 'recordCheck'
  | 'recordConsent'
  | 'recordHandover'
  | 'recordOperatorMessage'
  | 'recordSeparation'
>;

const CHECK_DAYS = 90;

/**
 * Creates the writes of contacts. Data that expires at a different time is in a separate item, because writes to a shared
 * item could not set its expiry without reading it.
 */
export const createContactWrites = (table: ConversationTable): ContactWrites => ({
  openWindow: (message) => openWindow(table, message),

  async linkCustomer({ contact, customerId }, at) {
    const period = linkPeriod(at);
    const known = await table.update({
      key: contactKeyOf(contact),
      set: { linkedAt: period },
      values: { customerId },
      condition: `${IS_LINKED} AND #linkedAt = :linkedAt AND contains(#otherCustomerIds, :customerId)`,
    });
    if (known.kind === 'written') return;
    await linkCustomer(table, { contact, customerId, at, isUsers: false }, known.item, () => ({}));
  },

  async denyWindow(contact, at) {
    await table.update({
      key: denialKeyOf(contact),
      // By then, the window that it denies has closed, whenever the user wrote.
      set: { windowDeniedAt: at, expiresAt: expiryAfter(at, WINDOW_MS) },
      condition: 'attribute_not_exists(#windowDeniedAt) OR #windowDeniedAt < :windowDeniedAt',
    });
  },

  async recordCheck(contact, { checkedAt, checkedAddress }) {
    await table.update({
      key: checkKeyOf(contact),
      set: { checkedAt, checkedAddress, expiresAt: expiryAfterDays(checkedAt, CHECK_DAYS) },
      condition: 'attribute_not_exists(#checkedAt) OR #checkedAt < :checkedAt',
    });
  },

  async recordOperatorMessage(contact, { at, until }) {
    await moveForward(table, contact, 'operatorWroteAt', at, { operatorUntil: until });
  },

  async recordHandover(contact, to, at) {
    await moveForward(table, contact, to === 'people' ? 'handoverAt' : 'handbackAt', at);
  },

  recordConsent: (contact, consent) => recordConsent(table, contact, consent),

  recordSeparation: (named, to, at) => recordSeparation(table, named, to, at),
});

/** The order of calls counts, so concurrent calls must not replace each other: each writes after the one before it. */
const recordSeparation = async (
  table: ConversationTable,
  { contact, customerId }: { readonly contact: ContactRef; readonly customerId: string },
  to: 'separated' | 'joined',
  at: Instant,
): Promise<void> => {
  const ids = { separatedCustomerIds: new Set([customerId]) };
  let item: Item | undefined = {};
  await untilDone(async () => {
    // The contact is not stored. A separation expires with it, so it must not create one.
    if (item === undefined) return true;
    const { separatedAt } = item;
    const { condition, values } = unchangedSince(item, ['separatedAt']);
    const result = await table.update({
      key: contactKeyOf(contact),
      // The clocks of two processes differ.
      set: { separatedAt: typeof separatedAt === 'string' && separatedAt >= at ? addMs(separatedAt, 1) : at },
      ...(to === 'separated' ? { add: ids } : { drop: ids }),
      values,
      condition: `attribute_exists(#pk) AND ${condition}`,
    });
    item = result.item;
    return result.kind === 'written';
  });
};

/** Moves the window forward. Returns the customers for whom an opt-out by the message holds. */
const openWindow = async (table: ConversationTable, message: InboundMessage): Promise<readonly ChannelCustomer[]> => {
  const { contact, id, time, body, address, name, customerId, isOfOtherNumber, isImported } = message;
  const key = contactKeyOf(contact);
  const window = {
    lastInboundAt: time.at,
    lastInboundId: id,
    lastInboundOwnAt: time.own,
    // Breaks the tie between messages of the same millisecond, regardless of their order.
    lastInboundDigest: `${isImported ? BELOW_BASE64 : ''}${createHash('sha256').update(body).digest('base64')}`,
    address,
    name,
    expiresAt: table.expiryOf('contacts', time.at),
  };
  if (customerId === undefined) {
    const { item } = await table.update({ key, set: window, condition: IS_LATEST }, { returnItem: true });
    return customersWriting(message, item);
  }
  const isUsers = isOfOtherNumber === undefined;
  const isKnown = isUsers ? '#customerId = :customerId' : 'contains(#otherCustomerIds, :customerId)';
  const known = await table.update(
    {
      key,
      set: { ...window, ...(isUsers && { customerAt: time.at }) },
      values: { customerId, linkedAt: linkPeriod(time.at) },
      condition: `(${IS_LATEST}) AND ${IS_LINKED} AND ${isKnown}`,
    },
    { returnItem: true },
  );
  if (known.kind === 'written') return customersWriting(message, known.item);
  const named = { contact, customerId, at: time.at, isUsers };
  const item = await linkCustomer(table, named, known.item, (stored) => (isLatest(window, stored) ? window : {}));
  return customersWriting(message, item);
};

const IS_LATEST =
  'attribute_not_exists(#lastInboundAt) OR #lastInboundAt < :lastInboundAt OR ' +
  '(#lastInboundAt = :lastInboundAt AND #lastInboundDigest < :lastInboundDigest)';

/** The same as {@link IS_LATEST}, for an item that was read. */
const isLatest = (
  window: { readonly lastInboundAt: Instant; readonly lastInboundDigest: string },
  { lastInboundAt = '', lastInboundDigest = '' }: Item,
): boolean =>
  String(lastInboundAt) < window.lastInboundAt ||
  (lastInboundAt === window.lastInboundAt && String(lastInboundDigest) < window.lastInboundDigest);

/** Sorts before every digest, so that an event that was delivered takes precedence over the same from the history. */
const BELOW_BASE64 = '!';

/** Moves one of the times of a contact's handover forward, and the item's expiry with the latest of them. */
const moveForward = async (
  table: ConversationTable,
  contact: ContactRef,
  name: 'operatorWroteAt' | 'handoverAt' | 'handbackAt',
  at: Instant,
  others: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  const key = handoverKeyOf(contact);
  const set = { [name]: at, ...others };
  const expiresAt = table.expiryOf('contacts', at);
  const isLater = `(attribute_not_exists(#${name}) OR #${name} < :${name})`;
  const isLatest = '(attribute_not_exists(#expiresAt) OR #expiresAt <= :expiresAt)';
  const result = await table.update({ key, set: { ...set, expiresAt }, condition: `${isLater} AND ${isLatest}` });
  if (result.kind === 'written') return;
  // Another time of the item is later, and so is its expiry.
  await table.update({ key, set, setOnce: { expiresAt }, condition: isLater });
};
