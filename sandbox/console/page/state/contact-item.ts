/** The digits of a phone number that Parley keeps in a contact's key, whatever it does to the country's prefix. */
const KEPT_DIGITS = 7;

/**
 * Returns whether a contact in the customer's table may be a user: its key ends as the user's address does. If it is
 * another user, this only costs an unneeded call.
 */
export const isContactOf = (contactKey: string, address: string): boolean => {
  const isNumber = /^\s*\+?[\d\s().-]+$/.test(address);
  return contactKey.endsWith(isNumber ? address.replace(/\D/g, '').slice(-KEPT_DIGITS) : address);
};
