import type { CustomerStatus, ItemSubject } from './api.ts';

/** The digits of a phone number that Parley keeps in a contact's key, whatever it does to the country's prefix. */
const KEPT_DIGITS = 7;

/**
 * Whether a contact in the customer's table may be a user: its key ends as the user's address does. A wrong match costs
 * only an unneeded call.
 */
export const isContactOf = (contactKey: string, address: string): boolean => {
  const isNumber = /^\s*\+?[\d\s().-]+$/.test(address);
  return contactKey.endsWith(isNumber ? address.replace(/\D/g, '').slice(-KEPT_DIGITS) : address);
};

/** Whether an item of the customer's table may be about a user, at any of the user's addresses. */
export const isAboutUser = (
  { contactKey, customerId }: ItemSubject,
  user: string,
  customer: Pick<CustomerStatus, 'customerId' | 'addresses' | 'separated'> | undefined,
): boolean => {
  if (contactKey === undefined) return customerId !== undefined && customerId === customer?.customerId;
  const others = customer?.addresses.map(({ platformContactId }) => platformContactId) ?? [];
  return [user, ...others, ...(customer?.separated ?? [])].some((address) => isContactOf(contactKey, address));
};
