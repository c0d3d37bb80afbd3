import type { ChatEvent } from './events.ts';
import { isSent, type SentMessage, type Status, type User, type UserSettings } from './model.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { ensureUser, latestMessageOf, messagesOf, putUser } from './users.ts';

/** Delivers an accepted message to the user's device, unless the device is off. It can also fail there. */
export const deliver = (state: ServiceState, user: User, message: SentMessage, now: Date): ChatEvent[] => {
  if (user.device === 'off' || !['accepted', 'sent'].includes(message.status)) return [];
  return user.failWith === undefined
    ? setStatus(state, user, message, { status: 'delivered' }, now)
    : setStatus(state, user, message, { status: 'error', code: user.failWith }, now);
};

/** A status, and the platform's code if it is a failure. */
export interface ReportedStatus {
  readonly status: Status;
  readonly code?: string;
}

const setStatus = (
  state: ServiceState,
  user: User,
  message: SentMessage,
  { status, code }: ReportedStatus,
  now: Date,
): ChatEvent[] => {
  const changed: SentMessage = {
    ...message,
    status,
    code,
    ...(status === 'delivered' && { deliveredAt: now }),
    ...(status === 'read' && { seenAt: now }),
  };
  state.messages.set(message.id, changed);
  return notifications(user, changed, status, now);
};

/**
 * Reports a status of a message that the API accepted, whatever its earlier statuses: real services report failures
 * minutes later, and statuses in any order. The result is undefined for an unknown message.
 */
export const reportStatus = (
  state: ServiceState,
  id: string,
  reported: ReportedStatus,
  { now }: Moment,
): Change<SentMessage | undefined> => {
  const message = state.messages.get(id);
  const user = message && state.users.get(message.contactKey);
  if (message === undefined || user === undefined || !isSent(message) || message.endpoint === 'operator-console') {
    return { result: undefined, events: [] };
  }
  return { result: message, events: setStatus(state, user, message, reported, now) };
};

/**
 * Changes a user's settings. Turning the device on delivers the messages that waited for it. Under another customer ID, an
 * address with messages has a new user, who has not written yet.
 */
export const changeUser = (
  state: ServiceState,
  contact: string,
  settings: Partial<UserSettings & Pick<User, 'customerId'>>,
  moment: Moment,
): Change<User> => {
  const known = ensureUser(state, contact, moment);
  const latest = latestMessageOf(state, known);
  const isOther = settings.customerId !== undefined && settings.customerId !== known.customerId;
  const user = putUser(state, {
    ...known,
    ...settings,
    ...(isOther &&
      latest !== undefined && {
        conversations: new Map(),
        earlierUser: { lastMessageId: latest.id, until: moment.now },
      }),
  });
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
  const events = user.readReceipts ? read.flatMap((message) => notifications(user, message, 'read', moment.now)) : [];
  return { result: read, events };
};

/**
 * Returns the status notification of a message; an operator's message has none.
 * Contract, "Events", rule 1: status notifications follow a send made by the message or rule-activation endpoint.
 */
const notifications = (user: User, message: SentMessage, status: Status, at: Date): ChatEvent[] =>
  message.endpoint === 'operator-console' ? [] : [{ kind: 'status', user, message, status, at }];

const messagesTo = (state: ServiceState, contact: string): SentMessage[] => messagesOf(state, contact).filter(isSent);
