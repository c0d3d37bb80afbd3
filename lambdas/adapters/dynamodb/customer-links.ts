import type { Consent } from '../../domain/consent.ts';
import { type ChannelCustomer, type ContactRef, customersAt } from '../../domain/contact.ts';
import {
  type CustomerLinks,
  customersFollowed,
  customersOf,
  isOneUser,
  linkPeriod,
  linkPeriodEnd,
  MAX_CUSTOMERS,
} from '../../domain/customer.ts';
import type { Instant } from '../../domain/instant.ts';
import type { InboundMessage } from '../../domain/webhook-event.ts';
import { consentRegister, readConsents } from '../../table/consent-item.ts';
import { parseCustomerLinks } from '../../table/contact-item.ts';
import { parseCustomer } from '../../table/customer-item.ts';
import type { Item } from '../../table/item.ts';
import { consentKeyOf, contactKeyOf, contactName, customerKeyOf } from '../../table/keys.ts';
import { recordConsent, untilDone } from './consents.ts';
import { unchangedSince } from './item-update.ts';
import { readByWriting } from './read-by-writing.ts';
import type { ConversationTable } from './table.ts';

/** An event that names an address together with the chat service's ID of its user. */
export interface NamedCustomer {
  readonly contact: ContactRef;
  readonly customerId: string;
  readonly at: Instant;
  /** Whether the user wrote the event, to the business number that decides who the address's user is. */
  readonly isUsers: boolean;
}

/**
 * Returns the customers for whom an opt-out in a message holds: the one that it names, or else those that the contact's
 * user is, by the contact's item. At another business number, the user can have another ID, so both count.
 */
export const customersWriting = (
  { contact, customerId, isOfOtherNumber }: InboundMessage,
  item: Item | undefined,
): readonly ChannelCustomer[] => {
  const known = customersIn(contact, item);
  if (customerId === undefined || contains(item?.separatedCustomerIds, customerId)) return known;
  const others = isOfOtherNumber ? known.filter((customer) => customer.customerId !== customerId) : [];
  return [...customersAt(contact, [customerId]), ...others];
};

/**
 * Returns the customers that a contact's item leads to.
 *
 * @param idsOf returns which. @default those that the contact's user is
 */
export const customersIn = (
  contact: ContactRef,
  item: Item | undefined,
  idsOf: (links: CustomerLinks) => readonly string[] = customersOf,
): readonly ChannelCustomer[] => customersAt(contact, idsOf(parseCustomerLinks(item ?? {})));

/** The attributes of a contact's item on which a change to the item depends. */
const DECIDING = [
  'lastInboundAt',
  'lastInboundDigest',
  'customerId',
  'customerAt',
  'otherCustomerAt',
  'linkedAt',
  'linking',
  'expiresAt',
] as const;

/** The condition that a contact's address is stored with its customers, in the period `:linkedAt` or a later one. */
export const IS_LINKED = 'attribute_not_exists(#linking) AND #linkedAt >= :linkedAt';

/**
 * Records an event in its contact's item, and stores that the address belongs to the customer, unless the item already
 * says so. Returns the contact's item. A repetition stores what a function that died did not.
 *
 * @param stored the contact's item as it was last read
 * @param changesOf returns what else the event changes in the item
 */
export const linkCustomer = async (
  table: ConversationTable,
  named: NamedCustomer,
  stored: Item | undefined,
  changesOf: (item: Item) => Item,
): Promise<Item> => {
  const { contact } = named;
  const key = contactKeyOf(contact);
  let item = stored ?? {};
  let before = item;
  await untilDone(async () => {
    before = item;
    const set = { ...changesOf(item), ...customerChanges(table, named, item) };
    const ids = named.isUsers ? 'writerIds' : 'otherCustomerIds';
    const isNew = isToBeListed(item[ids], named.customerId);
    if (!isNew && Object.entries(set).every(([name, value]) => item[name] === value)) return true;
    const result = await table.update(
      {
        key,
        set,
        ...(isNew && { add: { [ids]: new Set([named.customerId]) } }),
        ...unchangedSince(item, DECIDING),
      },
      { returnItem: true },
    );
    item = result.item ?? {};
    return result.kind === 'written';
  });
  const { linking } = item;
  if (linking === undefined) return item;
  // After the contact's item, so that an erasure that removes the address from the customer sees one of the two.
  const links = parseCustomerLinks(item);
  const followed = customersFollowed(links);
  // With an earlier user, so that the order of arrival does not matter, and whom a function was linking when it died.
  const linked = [linking, before.linking].filter((id) => typeof id === 'string');
  const customers = customersAt(contact, [...new Set([...followed, ...linked])]);
  // Earlier users, or other customers, may have opted out instead.
  const hasOneUser = links.otherCustomerAt === undefined && customers.length === 1;
  for (const customer of customers) {
    const isOneUsers = await addAddress(table, named, customer);
    if (isOneUsers && hasOneUser) await addOptOuts(table, contact, customer);
  }
  // Another event may be linking another customer.
  await table.update({ key, set: { linking: undefined }, values: { linking }, condition: '#linking = :linking' });
  return item;
};

const isToBeListed = (ids: unknown, id: string): boolean =>
  !contains(ids, id) && !(ids instanceof Set && ids.size > MAX_CUSTOMERS);

const contains = (members: unknown, member: string): boolean => members instanceof Set && members.has(member);

/** Returns the changes that an event makes to what a contact's item says about its customers. */
const customerChanges = (table: ConversationTable, { customerId, at, isUsers }: NamedCustomer, item: Item): Item => {
  const period = linkPeriod(at);
  const isNewer = typeof item.linkedAt !== 'string' || item.linkedAt < period;
  const register = isUsers ? registerChanges(item, customerId, at) : {};
  const isNew = isToBeListed(isUsers ? item.writerIds : item.otherCustomerIds, customerId) || 'customerId' in register;
  return {
    ...register,
    ...(isNewer && { linkedAt: period }),
    // Until the customers' items list the address, every event adds it again.
    ...((isNewer || isNew) && { linking: customerId }),
    // A contact that has written expires after its latest message.
    ...(isNewer && !isUsers && item.lastInboundAt === undefined && { expiresAt: linkExpiry(table, period) }),
  };
};

/** The latest message decides who the user is. Until the latest message of anyone else, the address had another user. */
const registerChanges = ({ customerId, customerAt, otherCustomerAt }: Item, named: string, at: Instant): Item => {
  if (typeof customerId !== 'string' || typeof customerAt !== 'string') return { customerId: named, customerAt: at };
  if (named === customerId) return at > customerAt ? { customerAt: at } : {};
  if (at > customerAt || (at === customerAt && named > customerId)) {
    return { customerId: named, customerAt: at, otherCustomerAt: customerAt };
  }
  return typeof otherCustomerAt !== 'string' || otherCustomerAt < at ? { otherCustomerAt: at } : {};
};

/** Returns when a customer expires whose addresses were last linked in a period. */
export const linkExpiry = (table: ConversationTable, period: Instant): number =>
  table.expiryOf('contacts', linkPeriodEnd(period));

/** Adds an address to its customer. Returns whether the customer's ID is that of one user. */
const addAddress = async (
  table: ConversationTable,
  { contact, at }: NamedCustomer,
  customer: ChannelCustomer,
): Promise<boolean> => {
  const key = customerKeyOf(customer);
  // Without its mark, an erasure that is removing addresses from the customer starts over.
  const added = { key, add: { contacts: new Set([contactName(contact)]) }, set: { erasingId: undefined } };
  const expiresAt = linkExpiry(table, linkPeriod(at));
  const first = await table.update(
    {
      ...added,
      set: { ...added.set, expiresAt },
      // A customer with opt-outs does not expire.
      condition:
        `${IS_ONE_USER} AND attribute_not_exists(#userOptOutAt) AND attribute_not_exists(#importOptOutAt) AND ` +
        '(attribute_not_exists(#expiresAt) OR #expiresAt <= :expiresAt)',
    },
    { returnItem: true },
  );
  const { kind, item } =
    first.kind === 'written' ? first : await table.update({ ...added, condition: IS_ONE_USER }, { returnItem: true });
  if (kind === 'conflict') return false;
  if (isOneUser(parseCustomer(item))) return true;
  // For good, because the addresses that it has had so far are no longer known.
  await table.update({ key, set: { contacts: undefined, isShared: true, expiresAt: undefined } });
  return false;
};

/** Adds the opt-outs that were recorded for an address before it was linked to those of its customer. */
const addOptOuts = async (table: ConversationTable, contact: ContactRef, customer: ChannelCustomer): Promise<void> => {
  for (const optOut of await readOptOuts(table, contact)) await recordConsent(table, customer, optOut);
};

/** The condition that a customer has not had too many addresses. A service may give many users one ID. */
const IS_ONE_USER = 'attribute_not_exists(#isShared)';

/**
 * Returns the opt-outs of an address, including those that its own opt-in overrides: they hold at the customer's other
 * addresses, whether the opt-in or the link came first.
 */
const readOptOuts = async (table: ConversationTable, contact: ContactRef): Promise<readonly Consent[]> => {
  const item = await readByWriting(table, consentKeyOf(contact));
  if (item === undefined) return [];
  const optOuts = readConsents(item).filter(({ kind: each }) => each === 'opt-out');
  return optOuts.map((optOut) => {
    const recordedAt = item[consentRegister(optOut).recordedAt];
    return { ...optOut, ...(typeof recordedAt === 'string' && { recordedAt }) };
  });
};
