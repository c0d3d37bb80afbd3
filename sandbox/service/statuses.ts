import { isSent, type SentMessage } from './chat-message.ts';
import { contactKey } from './contact-key.ts';
import { statusEvent } from './events.ts';
import type { Change, ChatEvent, Moment, ServiceState } from './state.ts';
import { putUser, type User, type UserSettings, userOf } from './users.ts';

/** A message reaches the user's device, unless that is off. */
export const deliver = (state: ServiceState, user: User, message: SentMessage, now: Date): ChatEvent[] => {
  if (user.device === 'off' || message.status !== 'accepted') return [];
  state.messages.set(message.id, { ...message, status: 'delivered', deliveredAt: now });
  return [statusEvent(state, user, message, 'delivered', now)];
};

/** Changes a user's settings; what waited for the device is delivered when it goes on. */
export const changeUser = (
  state: ServiceState,
  contact: string,
  settings: Partial<UserSettings>,
  moment: Moment,
): Change<User> => {
  const user = putUser(state, { ...userOf(state, contact, moment), ...settings });
  const events = messagesTo(state, contact).flatMap((message) => deliver(state, user, message, moment.now));
  return { result: user, events };
};

/**
 * The user reads all that was delivered; the result is what was read.
 * Contract, "Events", rule 2: Read notifications are not sent when the user disabled read confirmation.
 */
export const readMessages = (state: ServiceState, contact: string, moment: Moment): Change<SentMessage[]> => {
  const user = userOf(state, contact, moment);
  const read = messagesTo(state, contact)
    .filter((message) => message.status === 'delivered' && message.seenAt === undefined)
    .map((message) => ({
      ...message,
      seenAt: moment.now,
      status: user.readReceipts ? ('read' as const) : message.status,
    }));
  for (const message of read) state.messages.set(message.id, message);
  const events = user.readReceipts ? read.map((message) => statusEvent(state, user, message, 'read', moment.now)) : [];
  return { result: read, events };
};

const messagesTo = (state: ServiceState, contact: string): SentMessage[] =>
  state.messages.of(contactKey(contact)).filter(isSent);
