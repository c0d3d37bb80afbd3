import { plainAddress } from '../../../../lambdas/domain/address.ts';
import type { UserRow } from './api.ts';

/** Returns the user that a request or call names, in any spelling of a phone number. */
export const findUser = (users: ReadonlyMap<string, UserRow>, contact: string): UserRow | undefined =>
  users.get(contact) ?? users.get(`+${withoutPlus(contact)}`) ?? users.get(withoutPlus(contact));

export const isSameContact = (one: string, other: string): boolean => withoutPlus(one) === withoutPlus(other);

const withoutPlus = (contact: string): string => plainAddress(contact).replace(/^\+/, '');
