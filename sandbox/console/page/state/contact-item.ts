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
