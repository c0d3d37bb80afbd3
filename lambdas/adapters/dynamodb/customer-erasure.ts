import type { ChannelCustomer, ContactRef } from '../../domain/contact.ts';
import { type CustomerLinks, endOfEarlierUser, isOfCustomer, isOneUser, linkPeriod } from '../../domain/customer.ts';
import type { Instant } from '../../domain/instant.ts';
import type { LinkedAddresses } from '../../ports.ts';
import { CONSENT_REGISTERS, registersUntil, withoutRegisters } from '../../table/consent-item.ts';
import { parseCustomerLinks } from '../../table/contact-item.ts';
import { parseCustomer } from '../../table/customer-item.ts';
import { contactKeyOf, contactName, customerKeyOf } from '../../table/keys.ts';
import { untilDone } from './consents.ts';
import { linkExpiry } from './customer-links.ts';
import { readFirstInbound } from './first-message.ts';
import { unchangedSince } from './item-update.ts';
import type { ConversationTable } from './table.ts';

/** Before every event. */
const NEVER: Instant = '1970-01-01T00:00:00.000Z';

/** Reads the addresses of a customer; none if its ID is not that of one user. */
export const readAddresses = async (table: ConversationTable, customer: ChannelCustomer): Promise<LinkedAddresses> => {
  const read = parseCustomer(await table.get(customerKeyOf(customer)));
  if (!isOneUser(read)) return { own: [], earlier: [], separated: [], isShared: true };
  const { earlier, ...rest } = await divide(table, customer, read.contacts);
  const ended = earlier.map(async ({ contact, until }) => ({
    contact,
    until: until === NEVER ? NEVER : endOfEarlierUser(until, await readFirstInbound(table, contact, until)),
  }));
  return { ...rest, earlier: await Promise.all(ended), isShared: false };
};

const divide = async (
  table: ConversationTable,
  customer: ChannelCustomer,
  contacts: readonly ContactRef[],
): Promise<Omit<LinkedAddresses, 'isShared'>> => {
  const items = await table.getAll(contacts.map(contactKeyOf));
  const links = contacts.flatMap((contact, index) => {
    const item = items[index];
    return item === undefined ? [] : [{ contact, ...parseCustomerLinks(item) }];
  });
  const isSeparated = ({ separatedCustomerIds = [] }: CustomerLinks): boolean =>
    separatedCustomerIds.includes(customer.customerId);
  return {
    own: links.filter((each) => isOfCustomer(each, customer)).map(({ contact }) => contact),
    // Of a customer who never wrote from there, only what names the customer is erased.
    earlier: links.flatMap(({ contact, otherCustomerAt: until = NEVER, ...each }) =>
      isSeparated(each) || isOfCustomer(each, customer) ? [] : [{ contact, until }],
    ),
    separated: links.filter(isSeparated).map(({ contact }) => contact),
  };
};

/** Removes a customer's ID from a contact that has another user. */
const forget = async (
  table: ConversationTable,
  contact: ContactRef,
  { customerId }: ChannelCustomer,
): Promise<void> => {
  const ids = new Set([customerId]);
  await table.update({
    key: contactKeyOf(contact),
    drop: { writerIds: ids, otherCustomerIds: ids, separatedCustomerIds: ids },
    values: { customerId },
    condition: 'attribute_exists(#pk) AND NOT #customerId = :customerId',
  });
};

/**
 * Removes from a customer the addresses that are no longer its user's, because they were erased. If a time is given, also
 * removes the opt-outs that were recorded until then, and the customer's ID from addresses that have another user. A
 * function may be adding an address: it writes the contact's item first and then this one, where it removes the erasure's
 * mark, so that the erasure starts over. A customer that is new to the erasure keeps its opt-outs while it has an address.
 */
export const leaveCustomer = async (
  table: ConversationTable,
  customer: ChannelCustomer,
  {
    until: time = '',
    erasureId,
    isNew = false,
  }: { readonly until?: Instant; readonly erasureId: string; readonly isNew?: boolean },
): Promise<void> => {
  const key = customerKeyOf(customer);
  await untilDone(async () => {
    const marked = await table.update(
      { key, set: { erasingId: erasureId }, condition: 'attribute_exists(#pk)' },
      { returnItem: true },
    );
    if (marked.kind === 'conflict' || marked.item === undefined) return true;
    const { item } = marked;
    const { contacts } = parseCustomer(item);
    const { own: left } = await divide(table, customer, contacts);
    const until = isNew && left.length > 0 ? '' : time;
    if (until !== '') {
      const others = contacts.filter((contact) => !left.includes(contact));
      for (const contact of others) await forget(table, contact, customer);
    }
    const old = until === '' ? [] : registersUntil(item, until);
    const kept = CONSENT_REGISTERS.filter((names) => item[names.at] !== undefined && !old.includes(names));
    // That an ID is not that of one user is known for good.
    const expires = item.isShared === undefined && kept.length === 0;
    const unchanged = unchangedSince(
      item,
      CONSENT_REGISTERS.map(({ recordedAt }) => recordedAt),
    );
    const condition = `#erasingId = :erasureId AND ${unchanged.condition}`;
    const values = { erasureId, ...unchanged.values };
    if (expires && left.length === 0) return table.delete(key, condition, values);
    const result = await table.update({
      key,
      set: {
        ...withoutRegisters(old),
        contacts: left.length === 0 ? undefined : new Set(left.map(contactName)),
        erasingId: undefined,
        // It had none because of its opt-outs.
        ...(expires && old.length > 0 && { expiresAt: linkExpiry(table, linkPeriod(until)) }),
      },
      condition,
      values,
    });
    return result.kind === 'written';
  });
};
