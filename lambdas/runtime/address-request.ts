import { type AddressedRequest, addresseeOf, namesAddress } from '../domain/addressed-request.ts';
import { type ContactDefaults, type ContactRef, resolveContact, resolveCustomer } from '../domain/contact.ts';
import { chooseAddress } from '../domain/customer-address.ts';
import type { Refusal } from '../domain/decision.ts';
import type { Instant } from '../domain/instant.ts';
import type { SendRequest } from '../domain/send-request.ts';
import type { ContactRepository } from '../ports.ts';

/** A request with the address to which it goes. */
export interface Addressed {
  readonly kind: 'addressed';
  readonly request: AddressedRequest;
  readonly contact: ContactRef;
}

/**
 * Returns the request with the address to which it goes now. Reads the addresses of the customer only if the request names
 * no address.
 *
 * @param bound the address of an earlier call of the same request
 */
export const addressRequest = async (
  contacts: Pick<ContactRepository, 'readAddresses'>,
  defaults: ContactDefaults,
  request: SendRequest,
  now: Instant,
  bound?: ContactRef,
): Promise<Addressed | Refusal> => {
  if (namesAddress(request)) return { kind: 'addressed', request, contact: resolveContact(defaults, request) };
  const customer = resolveCustomer(defaults, { ...request, customerId: addresseeOf(request) });
  const chosen = chooseAddress(customer, await contacts.readAddresses(customer, now), bound);
  if (chosen.kind === 'refuse') return chosen;
  return { kind: 'addressed', request: { ...request, platformContactId: chosen.address }, contact: chosen.ref };
};
