import { contactKey } from './contact-key.ts';
import type { Moment, ServiceState } from './state.ts';
import type { Conversation } from './window.ts';

/** What a user can set, or what the platform knows of the user. */
export type UserSettings = {
  readonly name?: string;
  /** False: the user's privacy settings withhold Read (contract, "States and transitions"). */
  readonly readReceipts: boolean;
  readonly onPlatform: boolean;
  /** Whether the user allowed the business to write first (contract, "Rules of use" 2). */
  readonly optIn: boolean;
  /** A device that is off delays Delivered until it goes on. */
  readonly device: 'on' | 'off';
};

export type User = UserSettings & {
  /** The user's address as it was first mentioned. */
  readonly contact: string;
  /** The service's own identifier of the user. */
  readonly customerId: string;
  /** By the business's own number. */
  readonly conversations: ReadonlyMap<string, Conversation>;
};

export const findUser = (state: ServiceState, contact: string): User | undefined =>
  state.users.get(contactKey(contact));

/** The user of an address; the first mention makes the user. */
export const userOf = (state: ServiceState, contact: string, moment: Moment): User => {
  const known = findUser(state, contact);
  if (known !== undefined) return known;
  return putUser(state, {
    contact,
    customerId: moment.newId(),
    readReceipts: true,
    onPlatform: true,
    optIn: false,
    device: 'on',
    conversations: new Map(),
  });
};

export const putUser = (state: ServiceState, user: User): User => {
  state.users.set(contactKey(user.contact), user);
  return user;
};
