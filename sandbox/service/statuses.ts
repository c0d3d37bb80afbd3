import { statusEvent } from './events.ts';
import { isSent, type SentMessage, type User, type UserSettings } from './model.ts';
import type { Change, ChatEvent, Moment, ServiceState } from './state.ts';
import { contactKey, ensureUser, putUser } from './users.ts';

/** Delivers an accepted message to the user's device, unless the device is off. */
export const deliver = (state: ServiceState, user: User, message: SentMessage, now: Date): ChatEvent[] => {
  if (user.device === 'off' || message.status !== 'accepted') return [];
  state.messages.set(message.id, { ...message, status: 'delivered', deliveredAt: now });
  return notifications(state, user, message, 'delivered', now);
};

/** Changes a user's settings. Turning the device on delivers the messages that waited for it. */
export const changeUser = (
  state: ServiceState,
  contact: string,
  settings: Partial<UserSettings>,
  moment: Moment,
): Change<User> => {
  const user = putUser(state, { ...ensureUser(state, contact, moment), ...settings });
  const events = messagesTo(state, contact).flatMap((message) => deliver(state, user, message, moment.now));
  return { result: user, events };
};

/**
 * Marks every delivered message to the user as read, and returns those messages.
 * Contract, "Events", rule 2: Read notifications are not sent when the user disabled read confirmation.
 */
export const readMessages = (state: ServiceState, contact: string, moment: Moment): Change<SentMessage[]> => {
  const user = ensureUser(state, contact, moment);
  const read = messagesTo(state, contact)
    .filter((message) => message.status === 'delivered' && message.seenAt === undefined)
    .map((message) => ({
      ...message,
      seenAt: moment.now,
      status: user.readReceipts ? ('read' as const) : message.status,
    }));
  for (const message of read) state.messages.set(message.id, message);
  const events = user.readReceipts
    ? read.flatMap((message) => notifications(state, user, message, 'read', moment.now))
    : [];
  return { result: read, events };
};

/**
 * Returns the status notification of a message; an operator's message has none.
 * Contract, "Events", rule 1: status notifications follow a send made by the message or rule-activation endpoint.
 */
const notifications = (
  state: ServiceState,
  user: User,
  message: SentMessage,
  status: 'delivered' | 'read',
  now: Date,
): ChatEvent[] => (message.endpoint === 'operator-console' ? [] : [statusEvent(state, user, message, status, now)]);

const messagesTo = (state: ServiceState, contact: string): SentMessage[] =>
  state.messages.of(contactKey(contact)).filter(isSent);
