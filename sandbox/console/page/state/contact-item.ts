/** The digits of a phone number that Parley keeps in a contact's key, whatever it does to the country's prefix. */
const KEPT_DIGITS = 7;

/**
 * Returns whether an item of the customer's table may be about a user: it is a contact's, and its key ends as the user's
 * address does. If it is about another user, this only costs an unneeded call.
 */
export const isItemOf = (key: string, address: string): boolean => {
  const [pk = ''] = key.split(' ');
  const isNumber = /^\s*\+?[\d\s().-]+$/.test(address);
  const end = isNumber ? address.replace(/\D/g, '').slice(-KEPT_DIGITS) : address;
  return pk.startsWith('CONTACT#') && pk.endsWith(end);
};
