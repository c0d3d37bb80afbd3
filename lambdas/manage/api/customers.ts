import { compare } from '../../domain/compare.ts';
import {
  type ChannelCustomer,
  type Contact,
  type ContactRef,
  type CustomerRef,
  resolveCustomer,
} from '../../domain/contact.ts';
import { isOfCustomer, isOneUser, isSeparatedFrom, MAX_ADDRESSES } from '../../domain/customer.ts';
import * as z from '../../domain/schema.ts';
import type { ContactRepository } from '../../ports.ts';
import { type Answer, ok, problem, problemResponse } from './answer.ts';
import { type ContactPorts, contactResponse, viewContact } from './contacts.ts';
import { defineRoute, noBody } from './define-route.ts';
import { eventIdField, storedContactFields } from './fields.ts';

/** The chat service's ID of a user. */
export const customerIdField = eventIdField;

export const customerNotFound = ({ customerId }: Pick<CustomerRef, 'customerId'>): Answer =>
  problem(
    404,
    'CUSTOMER_NOT_FOUND',
    `There is no customer with the ID ${customerId}. Check the ID, or name an address.`,
  );

export const customerShared = ({ customerId }: Pick<CustomerRef, 'customerId'>): Answer =>
  problem(
    409,
    'CUSTOMER_SHARED',
    `The chat service named more than ${MAX_ADDRESSES} addresses with the customer ID ${customerId}, so it does not ` +
      'identify one user. Use the addresses instead.',
  );

/** A contact of a customer, as stored. */
export interface CustomerAddress {
  readonly ref: ContactRef;
  readonly contact: Contact;
}

/** The addresses whose user a customer is now, and those that an operator separated from the customer. */
export interface CustomerAddresses {
  readonly addresses: readonly CustomerAddress[];
  readonly separated: readonly CustomerAddress[];
}

/**
 * Finds the addresses of a customer, the one from which the user wrote last first. Never returns an address that has
 * another user now.
 *
 * @returns `shared` if the ID does not identify one user
 */
export const findAddresses = async (
  { contacts, clock }: Pick<CustomerPorts, 'clock' | 'contacts'>,
  customer: ChannelCustomer,
): Promise<CustomerAddresses | 'shared'> => {
  const stored = (await contacts.readCustomer(customer)) ?? { contacts: [] };
  if (!isOneUser(stored)) return 'shared';
  const now = clock.now();
  const read = await Promise.all(
    stored.contacts.map(async (ref) => {
      const contact = await contacts.read(ref, now);
      return contact === undefined ? [] : [{ ref, contact }];
    }),
  );
  const latestFirst = read
    .flat()
    .toSorted((one, other) => compare(other.contact.lastInboundAt ?? '', one.contact.lastInboundAt ?? ''));
  return {
    addresses: latestFirst.filter(({ contact }) => isOfCustomer(contact, customer)),
    separated: latestFirst.filter(({ contact }) => isSeparatedFrom(contact, customer)),
  };
};

/** What the routes of customers need. */
export interface CustomerPorts extends Pick<ContactPorts, 'clock' | 'contactDefaults' | 'rules'> {
  readonly contacts: Pick<ContactRepository, 'read' | 'readCustomer'>;
}

export const customerResponse = z.object({
  customerId: z.string(),
  chatPlatform: z.string(),
  /** The addresses that belong to the user now. The one that the user wrote from last is first. */
  contacts: z.array(
    z.object({
      ...contactResponse.shape,
      /**
       * Why the address belongs to the customer: `message` if the latest message from it named the customer; `status` if
       * only statuses or echoes of your own messages to it did.
       */
      linkedBy: z.enum(['message', 'status']),
    }),
  ),
  /** The addresses that an operator separated from this customer. */
  separated: z.array(z.object({ platformContactId: z.string() })),
});

export const listContacts = defineRoute({
  route: 'GET /v1/contacts',
  summary: 'List the addresses of a customer',
  description:
    'Events name a user by an address and by an ID, which stays the same if the address changes. ' +
    'Lists the addresses that belong to the customer now, not those from which another customer has written since. ' +
    `Fails with CUSTOMER_SHARED for an ID with more than ${MAX_ADDRESSES} addresses: many users may have one ID.`,
  query: z.strictObject({ customerId: customerIdField, ...storedContactFields }),
  body: noBody,
  responses: { 200: customerResponse, 400: problemResponse, 404: problemResponse, 409: problemResponse },
  async handle(ports: CustomerPorts, { query }) {
    const customer = resolveCustomer(ports.contactDefaults, query);
    const found = await findAddresses(ports, customer);
    if (found === 'shared') return customerShared(customer);
    const { addresses, separated } = found;
    if (addresses.length + separated.length === 0) return customerNotFound(customer);
    return ok({
      customerId: customer.customerId,
      chatPlatform: customer.platform,
      contacts: addresses.map(({ ref, contact }) => ({
        ...viewContact(ports, ref, ref.key, contact),
        linkedBy: contact.customerId === customer.customerId ? 'message' : 'status',
      })),
      separated: separated.map(({ ref, contact }) => ({ platformContactId: contact.address ?? ref.key })),
    } satisfies z.output<typeof customerResponse>);
  },
});
