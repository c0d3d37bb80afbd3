import type { Contact, ContactRef, CustomerRef } from './contact.ts';
import { addMs, type Instant, toInstant } from './instant.ts';

/**
 * A customer: a user by the chat service's own ID, which events name beside the user's address. All addresses that it
 * names with one ID belong to one user.
 */
export interface Customer {
  /** The contacts of the addresses that events named together with the ID. */
  readonly contacts: readonly ContactRef[];
  /** It has had too many addresses, which are no longer stored. */
  readonly isShared?: boolean | undefined;
}

/**
 * More addresses than a user has. An ID with more is not that of one user: a service may name all of its users the same.
 * Nothing follows it.
 */
export const MAX_ADDRESSES = 10;

/**
 * More IDs than an address has: a service may give one to each conversation. One more is stored, and then the address
 * follows only its latest user.
 */
export const MAX_CUSTOMERS = 10;

/** Whether an ID is that of one user. */
export const isOneUser = ({ contacts, isShared = false }: Customer): boolean =>
  !isShared && contacts.length <= MAX_ADDRESSES;

/** How often Parley stores again which addresses belong to a customer, so that it expires after the contacts. */
const LINK_PERIOD_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Returns the beginning of the period of a time. The latest period of an address's events is stored, so that it does not
 * depend on their order.
 */
export const linkPeriod = (at: Instant): Instant =>
  toInstant(new Date(Math.floor(Date.parse(at) / LINK_PERIOD_MS) * LINK_PERIOD_MS));

/** The end of a period. What is stored about it is kept for as long as a contact that was last written then. */
export const linkPeriodEnd = (period: Instant): Instant => addMs(period, LINK_PERIOD_MS);

/** What is stored about the customers of an address. */
export type CustomerLinks = Pick<Contact, 'customerId' | 'writerIds' | 'otherCustomerIds' | 'separatedCustomerIds'>;

const withoutSeparated = (
  { separatedCustomerIds = [] }: CustomerLinks,
  customerIds: readonly string[],
): readonly string[] => [...new Set(customerIds)].filter((id) => !separatedCustomerIds.includes(id));

const othersIn = ({ writerIds = [], otherCustomerIds = [] }: CustomerLinks): readonly string[] =>
  Math.max(writerIds.length, otherCustomerIds.length) > MAX_CUSTOMERS ? [] : otherCustomerIds;

/**
 * Returns the customers whose opt-outs hold for an address: its user, and every ID that the chat service named with it
 * otherwise, except those of earlier users of a number. More can only lead to fewer messages.
 */
export const customersFollowed = (links: CustomerLinks): readonly string[] => {
  const { customerId, writerIds = [] } = links;
  const others = othersIn(links).filter((id) => !writerIds.includes(id));
  return withoutSeparated(links, customerId === undefined ? others : [customerId, ...others]);
};

/**
 * Returns the customers that the user of an address is: the one that wrote from it last, or else those that statuses and
 * echoes named with it. An opt-out is recorded for them, and an erasure erases them.
 */
export const customersOf = (links: CustomerLinks): readonly string[] =>
  withoutSeparated(links, links.customerId === undefined ? othersIn(links) : [links.customerId]);

/** Returns all customers that events named with an address: also its earlier users, and those that were separated. */
export const customersNamed = ({
  customerId,
  writerIds = [],
  otherCustomerIds = [],
  separatedCustomerIds = [],
}: CustomerLinks): readonly string[] => [
  ...new Set([
    ...(customerId === undefined ? [] : [customerId]),
    ...writerIds,
    ...otherCustomerIds,
    ...separatedCustomerIds,
  ]),
];

/** Whether the user of an address is this customer. */
export const isOfCustomer = (
  links: CustomerLinks | undefined,
  { customerId }: Pick<CustomerRef, 'customerId'>,
): boolean => links !== undefined && customersOf(links).includes(customerId);

/** Whether an operator separated an address from this customer, who would be its user otherwise. */
export const isSeparatedFrom = (
  { separatedCustomerIds = [], ...links }: CustomerLinks,
  customer: Pick<CustomerRef, 'customerId'>,
): boolean => separatedCustomerIds.includes(customer.customerId) && isOfCustomer(links, customer);

/**
 * Returns what is stored about a contact without what belongs to an earlier user of its number: opt-ins, and who answered
 * that user. An opt-out stays, because only the new user's own opt-in shows that it is over.
 */
export const withoutEarlierUser = (contact: Contact): Contact => {
  const { otherCustomerAt, consents, handoverAt, handbackAt, operatorWroteAt, ...rest } = contact;
  if (otherCustomerAt === undefined) return contact;
  const isOwn = (at: Instant | undefined) => at !== undefined && at > otherCustomerAt;
  return {
    ...rest,
    otherCustomerAt,
    ...(consents && { consents: consents.filter(({ kind, at }) => kind === 'opt-out' || isOwn(at)) }),
    ...(isOwn(handoverAt) && { handoverAt }),
    ...(isOwn(handbackAt) && { handbackAt }),
    ...(isOwn(operatorWroteAt) && { operatorWroteAt }),
  };
};
