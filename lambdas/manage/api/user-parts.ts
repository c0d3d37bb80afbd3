import {
  type ChannelCustomer,
  type Contact,
  type ContactDefaults,
  type ContactRef,
  type NamedContact,
  resolveContact,
  resolveCustomer,
} from '../../domain/contact.ts';
import { type EarlierUsers, earlierCustomers, endOfEarlierUser } from '../../domain/customer.ts';
import type { Clock, ContactRepository, MessageRepository, UserPart } from '../../ports.ts';
import { type Answer, invalidField } from './answer.ts';
import { customerShared, findAddresses } from './customers.ts';

export interface UserPartPorts {
  readonly contacts: Pick<ContactRepository, 'read' | 'readCustomer'>;
  readonly messages: Pick<MessageRepository, 'readFirstInbound'>;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
}

/**
 * Returns the parts of the stored data that belong to a customer: those of each address since it became the customer's,
 * and what names only the customer.
 *
 * @returns `shared` if the ID does not identify one user
 */
export const partsOfCustomer = async (
  ports: Omit<UserPartPorts, 'contactDefaults'>,
  customer: ChannelCustomer,
): Promise<readonly UserPart[] | 'shared'> => {
  const found = await findAddresses(ports, customer);
  if (found === 'shared') return 'shared';
  const { platform, customerId } = customer;
  const addresses = await Promise.all(
    found.addresses.map(async ({ ref, contact }) => ({
      subject: ref,
      address: contact.address ?? ref.key,
      earlier: await readEarlierUsers(ports, ref, contact),
    })),
  );
  return [{ subject: { platform, customerId } }, ...addresses];
};

/** Returns whose an address was before, and until when; undefined if it had no other user. */
export const readEarlierUsers = async (
  { messages }: Pick<UserPartPorts, 'messages'>,
  ref: ContactRef,
  contact: Contact,
): Promise<EarlierUsers | undefined> => {
  const { otherCustomerAt, lastInboundAt } = contact;
  if (otherCustomerAt === undefined) return undefined;
  const firstAt = (await messages.readFirstInbound(ref, otherCustomerAt)) ?? lastInboundAt;
  return { customerIds: earlierCustomers(contact), until: endOfEarlierUser(otherCustomerAt, firstAt) };
};

/** How the query of a list names a user, if it does. */
interface UserQuery extends Omit<NamedContact, 'platformContactId'> {
  readonly contact?: string | undefined;
  readonly customerId?: string | undefined;
}

/**
 * Returns the parts of the stored data that a query selects: those of one address, or of a customer. Returns nothing if
 * the query names no user, and a refusal if its fields contradict each other.
 *
 * @param contactField what the query calls the address
 * @param partOf returns the part of one address
 */
export const selectUser = async (
  ports: UserPartPorts,
  { contact, customerId, ...named }: UserQuery,
  contactField: string,
  partOf: (ref: ContactRef) => Promise<UserPart>,
): Promise<{ readonly user?: readonly UserPart[]; readonly refusal?: Answer }> => {
  if (contact !== undefined && customerId !== undefined) {
    return { refusal: invalidField('the query', `names the user twice; remove \`${contactField}\` or \`customerId\``) };
  }
  const { chatPlatform, chatChannelNumber } = named;
  if (contact !== undefined) {
    return { user: [await partOf(resolveContact(ports.contactDefaults, { ...named, platformContactId: contact }))] };
  }
  if (customerId !== undefined) {
    const parts = await partsOfCustomer(ports, resolveCustomer(ports.contactDefaults, { ...named, customerId }));
    return parts === 'shared' ? { refusal: customerShared({ customerId }) } : { user: parts };
  }
  if ((chatPlatform ?? chatChannelNumber) === undefined) return {};
  return {
    refusal: invalidField(
      'the query',
      `names no user; add \`${contactField}\` or \`customerId\`, or remove \`chatPlatform\` and \`chatChannelNumber\``,
    ),
  };
};
