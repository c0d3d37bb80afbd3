import type { Call } from './call-log.ts';
import type { EarlierEntry } from './feed.ts';
import { type ChatMessage, isSent } from './model.ts';
import type { ServiceState } from './state.ts';
import { messageView } from './views.ts';

/**
 * Returns the feed entries of an earlier run's messages. Each shows the message with its statuses at that time, and its
 * latest content.
 */
export const messageEntries = (state: ServiceState): EarlierEntry[] =>
  [...state.messages.values()].flatMap((message) => {
    const entry = (type: string, at: Date, shown: ChatMessage): EarlierEntry => {
      const contact = state.users.get(message.contactKey)?.contact ?? message.contactKey;
      return { type, at, fields: () => ({ contact, message: messageView(shown) }) };
    };
    if (!isSent(message)) {
      const { receivedAt, edits = [] } = message;
      return [entry('user-wrote', receivedAt, message), ...edits.map((at) => entry('message-edited', at, message))];
    }
    const { at, deliveredAt, seenAt } = message;
    const accepted = { ...message, status: 'accepted' as const, deliveredAt: undefined, seenAt: undefined };
    const delivered = { ...message, status: 'delivered' as const, seenAt: undefined };
    return [
      entry('message-accepted', at, accepted),
      ...(deliveredAt === undefined ? [] : [entry('status-changed', deliveredAt, delivered)]),
      ...(seenAt === undefined ? [] : [entry('status-changed', seenAt, message)]),
    ];
  });

/** Returns the feed entries of an earlier run's calls. A call is logged after the message that it sent. */
export const callEntries = (state: ServiceState, calls: readonly Call[]): EarlierEntry[] =>
  calls.map((call) => {
    const calledAt = new Date(call.at);
    const sentAt = state.messages.get(call.messageId ?? '')?.at ?? calledAt;
    return { type: 'call', at: sentAt > calledAt ? sentAt : calledAt, fields: () => ({ call }) };
  });

/** Returns the latest entries in the order of their times. */
export const latestEntries = (entries: readonly EarlierEntry[], limit: number): EarlierEntry[] =>
  entries.toSorted((one, other) => one.at.getTime() - other.at.getTime()).slice(-limit);
