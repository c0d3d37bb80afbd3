import { contactKey } from './contact-key.ts';
import type { Moment, ServiceState } from './state.ts';
import type { Conversation } from './window.ts';

/** What a user can set, or what the platform knows of the user. */
export type UserSettings = {
  name?: string;
  /** False: the user's privacy settings withhold Read (contract, "States and transitions"). */
  readReceipts: boolean;
  onPlatform: boolean;
  /** Kept for the console; asking for it is the customer's duty (contract, "Rules of use" 2). */
  optIn: boolean;
  /** A device that is off delays Delivered until it goes on. */
  device: 'on' | 'off';
};

export type User = UserSettings & {
  /** The user's address as it was first mentioned. */
  readonly contact: string;
  /** The service's own identifier of the user. */
  readonly customerId: string;
  /** By the business's own number. */
  readonly conversations: Map<string, Conversation>;
};

export const findUser = (state: ServiceState, contact: string): User | undefined =>
  state.users.get(contactKey(contact));

/** The user of an address; the first mention makes the user. */
export const userOf = (state: ServiceState, contact: string, moment: Moment): User => {
  const known = findUser(state, contact);
  if (known !== undefined) return known;
  const user: User = {
    contact,
    customerId: moment.newId(),
    readReceipts: true,
    onPlatform: true,
    optIn: false,
    device: 'on',
    conversations: new Map(),
  };
  state.users.set(contactKey(contact), user);
  return user;
};
