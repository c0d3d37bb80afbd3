import { contactKey } from './contact-key.ts';
import { statusEvent } from './events.ts';
import type { SentMessage } from './sent-message.ts';
import type { Change, ChatEvent, Moment, ServiceState } from './state.ts';
import { type User, type UserSettings, userOf } from './users.ts';

/** A message reaches the user's device, unless that is off. */
export const deliver = (state: ServiceState, user: User, message: SentMessage, now: Date): ChatEvent[] => {
  if (user.device === 'off' || message.status !== 'accepted') return [];
  message.status = 'delivered';
  return [statusEvent(state, user, message, 'delivered', now)];
};

/** Changes a user's settings; what waited for the device is delivered when it goes on. */
export const changeUser = (
  state: ServiceState,
  contact: string,
  settings: Partial<UserSettings>,
  moment: Moment,
): Change<User> => {
  const user = userOf(state, contact, moment);
  Object.assign(user, settings);
  const events = messagesTo(state, contact).flatMap((message) => deliver(state, user, message, moment.now));
  return { result: user, events };
};

/**
 * The user reads all that was delivered; the result is what was read.
 * Contract, "Events", rule 2: Read notifications are not sent when the user disabled read confirmation.
 */
export const readMessages = (state: ServiceState, contact: string, moment: Moment): Change<SentMessage[]> => {
  const user = userOf(state, contact, moment);
  const read = messagesTo(state, contact).filter((message) => message.status === 'delivered' && !message.seen);
  for (const message of read) message.seen = true;
  if (!user.readReceipts) return { result: read, events: [] };
  for (const message of read) message.status = 'read';
  return { result: read, events: read.map((message) => statusEvent(state, user, message, 'read', moment.now)) };
};

const messagesTo = (state: ServiceState, contact: string): SentMessage[] => {
  const key = contactKey(contact);
  return [...state.messages.values()].filter((message) => message.contactKey === key);
};
