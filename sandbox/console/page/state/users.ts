import type { Message, User } from './api.ts';
import type { ConsoleState } from './console-state.ts';

type Users = ConsoleState['users'];

/**
 * Returns the users with one added or updated. Keeps the last message unless another one is given, or the address has a
 * new user.
 */
export const withUser = ({ byContact }: Users, user: User, lastMessage?: Message): Users => {
  const known = byContact.get(user.contact);
  const kept = known?.customerSince === user.customerSince ? known.lastMessage : null;
  byContact.set(user.contact, { ...user, lastMessage: lastMessage ?? kept });
  return { byContact };
};
