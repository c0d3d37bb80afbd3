/** Returns the partition key of a contact. Events and requests may write its number with or without a plus. */
export const contactKey = (address: string): string => `CONTACT#${address.replace(/^\+/, '')}`;
