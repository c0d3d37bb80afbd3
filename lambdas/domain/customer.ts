import type { Contact, ContactRef, CustomerRef } from './contact.ts';
import { addMs, type Instant, toInstant } from './instant.ts';

/**
 * A customer is a user, identified by the chat service's own ID, which events name beside the user's address. All
 * addresses that events name with one ID belong to one user.
 */
export interface Customer {
  /** The contacts of the addresses that events named together with the ID. */
  readonly contacts: readonly ContactRef[];
  /** The ID has had too many addresses, which are no longer stored. */
  readonly isShared?: boolean | undefined;
}

/**
 * The maximum number of addresses that a user is expected to have. An ID with more does not identify one user, because a
 * service may give many users one ID. Nothing follows such an ID.
 */
export const MAX_ADDRESSES = 10;

/**
 * The maximum number of IDs that an address is expected to have. A service may give each conversation an ID of its own:
 * an address with more IDs follows only its latest user. Only one more is stored.
 */
export const MAX_CUSTOMERS = 10;

/** Whether an ID identifies one user. */
export const isOneUser = ({ contacts, isShared = false }: Customer): boolean =>
  !isShared && contacts.length <= MAX_ADDRESSES;

/** How often Parley stores an address of a customer again, so that the customer's item expires after its contacts. */
const LINK_PERIOD_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Returns the start of the period that a time is in. The latest period of an address's events is stored, which does not
 * depend on their order.
 */
export const linkPeriod = (at: Instant): Instant =>
  toInstant(new Date(Math.floor(Date.parse(at) / LINK_PERIOD_MS) * LINK_PERIOD_MS));

/** Returns the end of a period. A customer's item expires no earlier than a contact whose last message came then. */
export const linkPeriodEnd = (period: Instant): Instant => addMs(period, LINK_PERIOD_MS);

/** What is stored about the customers of an address. */
export type CustomerLinks = Pick<Contact, 'customerId' | 'writerIds' | 'otherCustomerIds' | 'separatedCustomerIds'>;

const withoutSeparated = (
  { separatedCustomerIds = [] }: CustomerLinks,
  customerIds: readonly string[],
): readonly string[] => [...new Set(customerIds)].filter((id) => !separatedCustomerIds.includes(id));

/** Whether an address has had more IDs than one user is expected to have. */
export const isSharedAddress = ({ writerIds = [], otherCustomerIds = [] }: CustomerLinks): boolean =>
  Math.max(writerIds.length, otherCustomerIds.length) > MAX_CUSTOMERS;

const othersIn = (links: CustomerLinks): readonly string[] =>
  isSharedAddress(links) ? [] : (links.otherCustomerIds ?? []);

/**
 * Returns the customers whose opt-outs hold at an address: its user, and every other ID that the chat service named with
 * it, except those of earlier users. Following more IDs can only lead to fewer messages.
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

/** Returns all customers that events named with an address, including earlier users and those that were separated. */
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

/** Whether an operator separated an address from this customer, who would otherwise be its user. */
export const isSeparatedFrom = (
  { separatedCustomerIds = [], ...links }: CustomerLinks,
  customer: Pick<CustomerRef, 'customerId'>,
): boolean => separatedCustomerIds.includes(customer.customerId) && isOfCustomer(links, customer);

/** Returns the customers who wrote from an address before its user. */
export const earlierCustomers = ({ customerId, writerIds = [] }: CustomerLinks): readonly string[] =>
  writerIds.filter((id) => id !== customerId);

/**
 * Returns the time until which what names nobody at an address is an earlier user's. What the business sent after the
 * earlier user's last message and before the present user's first one was sent to the earlier user.
 */
export const endOfEarlierUser = (otherCustomerAt: Instant, firstInboundAt: Instant | undefined): Instant =>
  firstInboundAt === undefined || firstInboundAt <= otherCustomerAt ? otherCustomerAt : addMs(firstInboundAt, -1);

/** The customers who had an address before its user, and until when. */
export interface EarlierUsers {
  readonly customerIds: readonly string[];
  readonly until: Instant;
}

/** What an item that is stored under an address says about whose it is. */
export interface NamedItem {
  /** The customers that it names. @default none */
  readonly customerIds?: readonly string[] | undefined;
  /** When it was recorded; absent for a status. */
  readonly createdAt?: Instant | undefined;
}

/**
 * Whether an item of an address is an earlier user's: it names that customer, or nobody and is no later than that user's
 * time. A status without a time can be the present user's. An erasure of the earlier user erases it, and the lists of
 * the present user do not have it.
 */
export const isOfEarlierUser = ({ customerIds = [], createdAt }: NamedItem, earlier: EarlierUsers): boolean =>
  customerIds.length > 0
    ? customerIds.some((id) => earlier.customerIds.includes(id))
    : createdAt !== undefined && createdAt <= earlier.until;

/**
 * Returns what is stored about a contact without what belongs to an earlier user of its address: opt-ins and handovers.
 * An opt-out stays, because only the new user's own opt-in shows that it no longer applies.
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
