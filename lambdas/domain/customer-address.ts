import { compare } from './compare.ts';
import { addressVariants, type Contact, type ContactRef, type CustomerRef, isSameUser } from './contact.ts';
import { type CustomerLinks, customersFollowed, customersNamed, isOfCustomer, isSharedAddress } from './customer.ts';
import { type Refusal, refuse } from './decision.ts';

/** An address that events named with a customer, as stored. */
export interface CustomerAddress {
  readonly ref: ContactRef;
  readonly contact: Contact;
}

/** The addresses that events named with a customer, or `shared` if the ID does not identify one user. */
export type CustomerAddresses = readonly CustomerAddress[] | 'shared';

/** The address to which a message to a customer goes. */
export interface ChosenAddress {
  readonly kind: 'chosen';
  readonly ref: ContactRef;
  readonly address: string;
}

type Named = Pick<CustomerRef, 'customerId'>;

/**
 * Whether an address leads to this customer alone. An opt-out at an address that leads to several customers holds for
 * all of them, but a message to one of them must not go there. It does not go to an address of which an operator
 * separated the latest writer either: a status that names this customer with it does not show who its user is now.
 */
export const isOnlyUser = (links: CustomerLinks, { customerId }: Named): boolean => {
  const followed = customersFollowed(links);
  const isUser = links.customerId === customerId || isWithoutWriter(links);
  return isUser && followed.length === 1 && followed[0] === customerId && !isSharedAddress(links);
};

const isWithoutWriter = ({ customerId, writerIds = [] }: CustomerLinks): boolean =>
  customerId === undefined && writerIds.length === 0;

/**
 * Chooses the address to which a message to a customer goes: the one from which the customer wrote last, or else the only
 * one. A message to a wrong address would reach a stranger, so the message is refused if there is any doubt.
 *
 * @param bound the address that an earlier attempt claimed, whose call may have been made
 */
export const chooseAddress = (
  customer: Named,
  addresses: CustomerAddresses,
  bound: ContactRef | undefined,
): ChosenAddress | Refusal => {
  if (addresses === 'shared') return refuse('CUSTOMER_AMBIGUOUS', 'Too many addresses have this customer ID.');
  const own = addresses.filter(({ contact }) => isOnlyUser(contact, customer));
  const candidates = bound === undefined ? own : own.filter(({ ref }) => isSameUser(ref, bound));
  const [latest] = candidates
    .filter(({ contact }) => contact.customerAt !== undefined)
    .toSorted((one, other) => compare(other.contact.customerAt ?? '', one.contact.customerAt ?? ''));
  const chosen = latest ?? (candidates.length === 1 ? candidates[0] : undefined);
  return chosen === undefined ? refuseAddresses(customer, addresses, { own, bound }) : spell(chosen);
};

/** Explains why no address can be chosen. */
const refuseAddresses = (
  customer: Named,
  addresses: readonly CustomerAddress[],
  { own, bound }: { readonly own: readonly CustomerAddress[]; readonly bound: ContactRef | undefined },
): Refusal => {
  if (bound !== undefined) {
    return refuse('CUSTOMER_AMBIGUOUS', 'The address of an earlier attempt no longer belongs to this customer alone.');
  }
  if (own.length > 1) {
    return refuse('CUSTOMER_AMBIGUOUS', 'The customer has several addresses and has not written from any of them.');
  }
  return addresses.some(({ contact }) => isInDoubt(contact, customer))
    ? refuse('CUSTOMER_AMBIGUOUS', 'The addresses of the customer may belong to others as well, or were separated.')
    : refuse('CUSTOMER_UNKNOWN', 'No address belongs to this customer now.');
};

/** Whether events name an address with this customer, and the latest message from it is not another customer's. */
const isInDoubt = (contact: Contact, customer: Named): boolean =>
  isOfCustomer({ ...contact, separatedCustomerIds: [] }, customer) ||
  (contact.customerId === undefined && customersNamed(contact).includes(customer.customerId));

/** Returns an address as it was last received. A key is an address only if no other address has it. */
const spell = ({ ref, contact }: CustomerAddress): ChosenAddress | Refusal => {
  const address = contact.address ?? (addressVariants(ref.key).length === 1 ? ref.key : undefined);
  return address === undefined
    ? refuse('CUSTOMER_UNKNOWN', 'The customer has never written, and the number can be written in more than one way.')
    : { kind: 'chosen', ref, address };
};
