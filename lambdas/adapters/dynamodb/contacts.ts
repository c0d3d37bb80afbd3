import type { ContactRef } from '../../domain/contact.ts';
import { DamagedItemError } from '../../domain/errors.ts';
import type { ContactRepository } from '../../ports.ts';
import { parseCircuit, parseStop } from '../../table/account-item.ts';
import { readConsents } from '../../table/consent-item.ts';
import { parseContact } from '../../table/contact-item.ts';
import {
  accountKey,
  checkKeyOf,
  consentKeyOf,
  contactKeyOf,
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
    return parseContact(await table.getAll(keysOf(contact, readsHandovers)), now);
  },

  async readMany(contacts, now) {
    const keys = contacts.map((contact) => keysOf(contact, readsHandovers));
    const items = await table.getAll(keys.flat());
    return keys.map(({ length }, index) => {
      try {
        return parseContact(items.slice(index * length, (index + 1) * length), now);
      } catch (error) {
        // One contact must not keep the others from being read.
        if (error instanceof DamagedItemError) return 'damaged';
        throw error;
      }
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

  async readConsents(contact) {
    return readConsents((await table.get(consentKeyOf(contact))) ?? {});
  },

  ...createContactWrites(table),
});

/** Returns the keys of a contact's own items. */
const keysOf = (contact: ContactRef, readsHandovers: boolean): readonly ItemKey[] =>
  [...KEYS, ...(readsHandovers ? [handoverKeyOf] : [])].map((keyOf) => keyOf(contact));

const KEYS = [contactKeyOf, consentKeyOf, checkKeyOf, denialKeyOf] as const;
