import type { ChannelCustomer, ContactRef } from '../../domain/contact.ts';
import { isOfCustomer, isOneUser, linkPeriod } from '../../domain/customer.ts';
import type { Instant } from '../../domain/instant.ts';
import { CONSENT_REGISTERS } from '../../table/consent-item.ts';
import { parseCustomerLinks } from '../../table/contact-item.ts';
import { parseCustomer } from '../../table/customer-item.ts';
import type { Item } from '../../table/item.ts';
import { contactKeyOf, contactName, customerKeyOf } from '../../table/keys.ts';
import { untilDone } from './consents.ts';
import { linkExpiry } from './customer-links.ts';
import type { ConversationTable } from './table.ts';

/** The addresses of a customer: those whose user the customer is now, and those that have another user. */
interface Addresses {
  readonly own: readonly ContactRef[];
  readonly earlier: readonly { readonly contact: ContactRef; readonly until: Instant }[];
}

/** Reads the addresses of a customer; none if its ID is not that of one user. */
export const readAddresses = async (table: ConversationTable, customer: ChannelCustomer): Promise<Addresses> => {
  const read = parseCustomer(await table.get(customerKeyOf(customer)));
  return isOneUser(read) ? divide(table, customer, read.contacts) : { own: [], earlier: [] };
};

const divide = async (
  table: ConversationTable,
  customer: ChannelCustomer,
  contacts: readonly ContactRef[],
): Promise<Addresses> => {
  const items = await table.getAll(contacts.map(contactKeyOf));
  const links = contacts.flatMap((contact, index) => {
    const item = items[index];
    return item === undefined ? [] : [{ contact, ...parseCustomerLinks(item) }];
  });
  return {
    own: links.filter((each) => isOfCustomer(each, customer)).map(({ contact }) => contact),
    earlier: links.flatMap(({ contact, otherCustomerAt: until, ...each }) =>
      until === undefined || isOfCustomer(each, customer) ? [] : [{ contact, until }],
    ),
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
 * function may be adding an address: it stores the address in the contact's item first, and here after that, where it
 * takes back the erasure's mark.
 */
export const leaveCustomer = async (
  table: ConversationTable,
  customer: ChannelCustomer,
  { until = '', erasureId }: { readonly until?: Instant; readonly erasureId: string },
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
    if (until !== '') {
      const others = contacts.filter((contact) => !left.includes(contact));
      for (const contact of others) await forget(table, contact, customer);
    }
    const old = CONSENT_REGISTERS.filter(
      ({ at, recordedAt }) => until !== '' && item[at] !== undefined && String(item[recordedAt] ?? '') <= until,
    );
    const kept = CONSENT_REGISTERS.filter((names) => item[names.at] !== undefined && !old.includes(names));
    // That an ID is not that of one user is known for good.
    const expires = item.isShared === undefined && kept.length === 0;
    const unchanged = [
      '#erasingId = :erasureId',
      ...CONSENT_REGISTERS.map(({ recordedAt }) => sameAs(recordedAt, item)),
    ];
    const condition = unchanged.join(' AND ');
    const values = {
      erasureId,
      ...Object.fromEntries(CONSENT_REGISTERS.map(({ recordedAt }) => [`${recordedAt}Before`, item[recordedAt]])),
    };
    if (expires && left.length === 0) return table.delete(key, condition, values);
    const removed = old.flatMap(({ kind: _kind, origin: _origin, ...names }) => Object.values(names));
    const result = await table.update({
      key,
      set: {
        ...Object.fromEntries(removed.map((name) => [name, undefined])),
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

const sameAs = (name: string, item: Item): string =>
  item[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}Before`;
