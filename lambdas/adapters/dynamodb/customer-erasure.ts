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

/** Returns the contacts whose user a customer is now; none if its ID is not that of one user. */
export const readAddresses = async (
  table: ConversationTable,
  customer: ChannelCustomer,
  stored?: Item,
): Promise<readonly ContactRef[]> => {
  const read = parseCustomer(stored ?? (await table.get(customerKeyOf(customer))));
  return isOneUser(read) ? contactsOfUser(table, customer, read.contacts) : [];
};

const contactsOfUser = async (
  table: ConversationTable,
  customer: ChannelCustomer,
  contacts: readonly ContactRef[],
): Promise<readonly ContactRef[]> => {
  const items = await table.getAll(contacts.map(contactKeyOf));
  return contacts.filter((_, index) => {
    const item = items[index];
    return item !== undefined && isOfCustomer(parseCustomerLinks(item), customer);
  });
};

/**
 * Removes from a customer the addresses that are no longer its user's, because they were erased, and the opt-outs that
 * were recorded until then, if a time is given. A function may be adding an address: it stores the address in the
 * contact's item first, and here after that, where it takes back the erasure's mark.
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
    const left = await contactsOfUser(table, customer, parseCustomer(item).contacts);
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
