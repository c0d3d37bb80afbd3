import type { Consent } from '../../domain/consent.ts';
import { type ChannelCustomer, type Contact, type ContactRef, customersAt } from '../../domain/contact.ts';
import { customersFollowed, isOneUser, withoutEarlierUser } from '../../domain/customer.ts';
import { DamagedItemError } from '../../domain/errors.ts';
import type { ContactRepository, StoredContact } from '../../ports.ts';
import { parseCircuit, parseStop } from '../../table/account-item.ts';
import { readConsents } from '../../table/consent-item.ts';
import { parseContact, parseCustomerLinks } from '../../table/contact-item.ts';
import { parseCustomer, readCustomerOptOuts } from '../../table/customer-item.ts';
import type { Item } from '../../table/item.ts';
import {
  accountKey,
  checkKeyOf,
  consentKeyOf,
  contactKeyOf,
  customerKeyOf,
  denialKeyOf,
  handoverKeyOf,
  type ItemKey,
} from '../../table/keys.ts';
import { createContactWrites } from './contact-writes.ts';
import type { ConversationTable } from './table.ts';

/**
 * Creates the repository of contacts.
 *
 * @param readsHandovers whether to read when contacts were handed over to people, which costs one more item
 */
export const createDynamodbContacts = (
  table: ConversationTable,
  { readsHandovers }: { readonly readsHandovers: boolean },
): ContactRepository => ({
  async read(contact, now) {
    const own = parseContact(await table.getAll(keysOf(contact, readsHandovers)), now);
    return own && withOptOuts(contact, own, await readCustomers(table, [customersOfContact(contact, own)]));
  },

  async readOwn(contact, now) {
    return parseContact(await table.getAll(keysOf(contact, readsHandovers)), now);
  },

  async readMany(contacts, now) {
    const keys = contacts.map((contact) => keysOf(contact, readsHandovers));
    const items = await table.getAll(keys.flat());
    const read = keys.map(({ length }, index): StoredContact => {
      try {
        return parseContact(items.slice(index * length, (index + 1) * length), now);
      } catch (error) {
        // One contact must not keep the others from being read.
        if (error instanceof DamagedItemError) return 'damaged';
        throw error;
      }
    });
    const customers = await readCustomers(
      table,
      contacts.map((contact, index) => customersOfContact(contact, read[index])),
    );
    return contacts.map((contact, index) => {
      const own = read[index];
      return own === undefined || own === 'damaged' ? own : withOptOuts(contact, own, customers);
    });
  },

  async readWithAccount(contact, account, now) {
    const items = await table.getAll([...keysOf(contact, readsHandovers), accountKey(account)]);
    const stop = parseStop(items.at(-1));
    return {
      contact: parseContact(items.slice(0, -1), now) ?? {},
      circuit: parseCircuit(items.at(-1)),
      ...(stop && { stop }),
    };
  },

  async readCustomer(customer) {
    const item = await table.get(customerKeyOf(customer));
    return item && parseCustomer(item);
  },

  async readAddresses(customer, now) {
    const stored = parseCustomer(await table.get(customerKeyOf(customer)));
    if (!isOneUser(stored)) return 'shared';
    const items = stored.contacts.length === 0 ? [] : await table.getAll(stored.contacts.map(contactKeyOf));
    return stored.contacts.flatMap((ref, index) => {
      const contact = parseContact([items[index]], now);
      return contact === undefined ? [] : [{ ref, contact }];
    });
  },

  async readConsents(contact) {
    const [window = {}, consents = {}] = await table.getAll([contactKeyOf(contact), consentKeyOf(contact)]);
    const own = withoutEarlierUser({ ...parseCustomerLinks(window), consents: readConsents(consents) });
    return withOptOuts(contact, own, await readCustomers(table, [customersOfContact(contact, own)])).consents ?? [];
  },

  ...createContactWrites(table),
});

/** The items of customers, by {@link nameOf}. */
type Customers = ReadonlyMap<string, Item | undefined>;

const nameOf = (customer: ChannelCustomer): string => JSON.stringify(customerKeyOf(customer));

const customersOfContact = (ref: ContactRef, contact: StoredContact): readonly ChannelCustomer[] =>
  contact === undefined || contact === 'damaged' ? [] : customersAt(ref, customersFollowed(contact));

/** Reads customers. Makes no call if there are none. */
const readCustomers = async (
  table: ConversationTable,
  customers: readonly (readonly ChannelCustomer[])[],
): Promise<Customers> => {
  const all = customers.flat();
  const items = all.length === 0 ? [] : await table.getAll(all.map(customerKeyOf));
  return new Map(all.map((customer, index) => [nameOf(customer), items[index]]));
};

/** Adds the opt-outs of the customer's other addresses. */
const withOptOuts = (ref: ContactRef, contact: Contact, customers: Customers): Contact => {
  const own = contact.consents ?? [];
  const others = customersOfContact(ref, contact)
    .flatMap((customer) => readCustomerOptOuts(customer.customerId, customers.get(nameOf(customer))))
    .filter((optOut) => !own.some((consent) => isSameConsent(consent, optOut)));
  return others.length === 0 ? contact : { ...contact, consents: [...own, ...others] };
};

/** The opt-out of an address is stored for its customer as well. */
const isSameConsent = (one: Consent, other: Consent): boolean =>
  (['kind', 'origin', 'at', 'source', 'messageId'] as const).every((name) => one[name] === other[name]);

/** Returns the keys of a contact's own items. */
const keysOf = (contact: ContactRef, readsHandovers: boolean): readonly ItemKey[] =>
  [...KEYS, ...(readsHandovers ? [handoverKeyOf] : [])].map((keyOf) => keyOf(contact));

const KEYS = [contactKeyOf, consentKeyOf, checkKeyOf, denialKeyOf] as const;
