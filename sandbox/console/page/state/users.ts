import type { Message, User } from './api.ts';
import type { ConsoleState } from './console-state.ts';

type Users = ConsoleState['users'];

/** Returns the users with one added or updated. Keeps the user's last message unless another one is given. */
export const withUser = ({ byContact }: Users, user: User, lastMessage?: Message): Users => {
  byContact.set(user.contact, {
    ...user,
    lastMessage: lastMessage ?? byContact.get(user.contact)?.lastMessage ?? null,
  });
  return { byContact };
};
