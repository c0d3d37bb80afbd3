import type { ChatMessage, User } from './model.ts';
import type { Moment, ServiceState } from './state.ts';

/**
 * Returns the key on which addresses are compared: the digits of a phone number, anything else verbatim.
 * Source: field notes, "Inbound events": an address comes with and without the leading plus and is not always a phone.
 */
export const contactKey = (address: string): string => {
  const digits = phoneDigits(address);
  return digits === '' ? address : digits;
};

/** Returns the digits of a phone number, or an empty string if the address is not one. */
export const phoneDigits = (address: string): string =>
  /^\s*\+?[\d\s().-]+$/.test(address) ? address.replace(/\D/g, '') : '';

/**
 * Returns the address as the platform writes it: a phone number without separators, anything else verbatim. Only a
 * plus, a space, or a parenthesis shows that an address is a phone number, because ids contain dots and hyphens too.
 */
const platformAddress = (address: string): string => {
  const digits = phoneDigits(address);
  if (digits === '' || !/[+\s(]/.test(address)) return address;
  return address.includes('+') ? `+${digits}` : digits;
};

export const findUser = (state: ServiceState, contact: string): User | undefined =>
  state.users.get(contactKey(contact));

/** Returns the messages between the business and the present user of an address, oldest first. */
export const messagesOf = (state: ServiceState, contact: string): readonly ChatMessage[] => {
  const messages = state.messages.of(contactKey(contact));
  const { earlierUser } = findUser(state, contact) ?? {};
  return messages.slice(messages.findLastIndex(({ id }) => id === earlierUser?.lastMessageId) + 1);
};

/** Returns the latest of these messages. */
export const latestMessageOf = (state: ServiceState, { contact, earlierUser }: User): ChatMessage | undefined => {
  const latest = state.messages.latestOf(contactKey(contact));
  return latest?.id === earlierUser?.lastMessageId ? undefined : latest;
};

/** Returns the user with this address, creating one if the address is new. */
export const ensureUser = (state: ServiceState, contact: string, moment: Moment): User => {
  const known = findUser(state, contact);
  if (known !== undefined) return known;
  return putUser(state, {
    contact: platformAddress(contact),
    customerId: moment.newId(),
    createdAt: moment.now,
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
