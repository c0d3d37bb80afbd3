import type { Consent } from '../domain/consent.ts';
import { type Customer, isOneUser } from '../domain/customer.ts';
import * as z from '../domain/schema.ts';
import { readConsents } from './consent-item.ts';
import { type Item, parseItem } from './item.ts';
import { parseContactName } from './keys.ts';

const customerItem = z.object({ contacts: z.optional(z.set(z.string())), isShared: z.optional(z.boolean()) });

/**
 * Returns a customer; without addresses if there is no item.
 *
 * @throws DamagedItemError if the item does not have the form that Parley writes
 */
export const parseCustomer = (item: Item = {}): Customer => {
  const { contacts = new Set(), isShared } = parseItem(customerItem, item);
  return { contacts: [...contacts].toSorted().flatMap((name) => parseContactName(name) ?? []), isShared };
};

/**
 * Returns the opt-outs that hold for all addresses of a customer, as consents of that customer.
 *
 * @throws DamagedItemError if the item does not have the form that Parley writes
 */
export const readCustomerOptOuts = (customerId: string, item: Item = {}): readonly Consent[] =>
  isOneUser(parseCustomer(item)) ? readConsents(item).map((consent) => ({ ...consent, customerId })) : [];
