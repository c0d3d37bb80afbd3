import type { Contact } from '../domain/contact.ts';
import { withoutEarlierUser } from '../domain/customer.ts';
import type { Instant } from '../domain/instant.ts';
import { isExpired } from '../domain/retention.ts';
import * as z from '../domain/schema.ts';
import { readConsents } from './consent-item.ts';
import { type Item, optionalString, parseItem } from './item.ts';

const optionalSet = z.optional(
  z.pipe(
    z.set(z.string()),
    z.transform((members) => [...members].toSorted()),
  ),
);

/** A contact's attributes in all of its items, except its consents. Others are dropped on read. */
const contactItem = z.object({
  address: optionalString,
  name: optionalString,
  customerId: optionalString,
  customerAt: optionalString,
  otherCustomerAt: optionalString,
  writerIds: optionalSet,
  otherCustomerIds: optionalSet,
  separatedCustomerIds: optionalSet,
  lastInboundAt: optionalString,
  lastInboundId: optionalString,
  lastInboundOwnAt: optionalString,
  windowDeniedAt: optionalString,
  handoverAt: optionalString,
  handbackAt: optionalString,
  operatorWroteAt: optionalString,
  operatorUntil: optionalString,
  checkedAt: optionalString,
  checkedAddress: optionalString,
});

/** Returns what a contact's item says about its customers. */
export const parseCustomerLinks = (item: unknown) =>
  parseItem(
    z.pick(contactItem, {
      customerId: true,
      otherCustomerAt: true,
      writerIds: true,
      otherCustomerIds: true,
      separatedCustomerIds: true,
    }),
    item,
  );

/**
 * Joins a contact's items. Returns undefined if there are none.
 *
 * @throws DamagedItemError if one does not have the form of a contact's item
 */
export const parseContact = (items: readonly (Item | undefined)[], now: Instant): Contact | undefined => {
  const stored = items.flatMap((item) => (item === undefined || isExpired(item, now) ? [] : [item]));
  if (stored.length === 0) return undefined;
  const item: Item = Object.fromEntries(stored.flatMap((each) => Object.entries(each)));
  const consents = readConsents(item);
  return withoutEarlierUser({ ...parseItem(contactItem, item), ...(consents.length > 0 && { consents }) });
};
