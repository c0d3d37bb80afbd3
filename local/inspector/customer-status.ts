import type { z } from 'zod';
import { type ManagementClient, ManagementError } from '../../cli/operations/management-client.ts';
import { contactKey } from '../../lambdas/domain/contact.ts';
import type { ContactResponse } from '../../lambdas/manage/api/contacts.ts';
import { customerResponse } from '../../lambdas/manage/api/customers.ts';
import type { ConsentStatus, CustomerAddress, CustomerStatus } from '../../sandbox/base/inspector.ts';

type Customer = z.output<typeof customerResponse>;

/**
 * Reads the customer of a contact, with all addresses that belong to the customer now. Returns undefined if no event
 * named the contact with the customer's ID.
 *
 * @param knownId the chat service's ID of the user, for a contact from which the user has not written yet
 */
export const readCustomerStatus = async (
  api: ManagementClient,
  contact: ContactResponse,
  knownId: string | undefined,
): Promise<CustomerStatus | undefined> => {
  const customerId = contact.customerId ?? knownId;
  if (customerId === undefined) return undefined;
  try {
    const query = new URLSearchParams({ customerId });
    const customer = customerResponse.parse(await api('GET', `/v1/contacts?${query}`));
    const isListed = [...customer.contacts, ...customer.separated].some((one) => isSameAddress(one, contact));
    return isListed ? describeCustomer(customer) : undefined;
  } catch (error) {
    if (!(error instanceof ManagementError)) throw error;
    if (error.code === 'CUSTOMER_SHARED' && contact.customerId !== undefined) {
      return { customerId, isShared: true, addresses: [], separated: [] };
    }
    if (error.code === 'CUSTOMER_NOT_FOUND' || error.code === 'CUSTOMER_SHARED') return undefined;
    throw error;
  }
};

type Named = Pick<ContactResponse, 'platformContactId'>;

export const isSameAddress = (one: Named, other: Named): boolean =>
  contactKey(one.platformContactId) === contactKey(other.platformContactId);

const describeCustomer = ({ customerId, contacts, separated }: Customer): CustomerStatus => ({
  customerId,
  isShared: false,
  addresses: contacts.map(
    ({ platformContactId, linkedBy, window, consent }): CustomerAddress => ({
      platformContactId,
      linkedBy,
      lastInboundAt: window.lastInboundAt,
      consent: consentAt(consent, contacts),
    }),
  ),
  separated: separated.map(({ platformContactId }) => platformContactId),
});

/** Returns a consent with the address at which the user gave it, if that is another one. */
const consentAt = (consent: ContactResponse['consent'], contacts: Customer['contacts']): ConsentStatus => {
  const { state, at, origin, source, customerId } = consent;
  const from = contacts.find(({ consents }) =>
    consents.some((own) => own.customerId === undefined && own.kind === 'opt-out' && own.at === at),
  );
  return { state, at, origin, source, from: customerId === undefined ? undefined : from?.platformContactId };
};
