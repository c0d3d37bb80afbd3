import type { UserRow } from './api.ts';

/** Returns the user that a request or call names. Phone numbers match with or without the plus and separators. */
export const findUser = (users: ReadonlyMap<string, UserRow>, contact: string): UserRow | undefined =>
  users.get(contact) ?? users.get(`+${withoutPlus(contact)}`) ?? users.get(withoutPlus(contact));

export const isSameContact = (one: string, other: string): boolean => withoutPlus(one) === withoutPlus(other);

const withoutPlus = (contact: string): string => contact.replaceAll(/[\s().-]/g, '').replace(/^\+/, '');
