import { authorOf } from './events.ts';
import { type ChatMessage, isSent } from './model.ts';
import type { ServiceState } from './state.ts';

/** How many entries a call returns. Source: practice, "API v1.0 beyond the contract". */
export const HISTORY_PAGE = 500;

/** How far back the history goes. Source: the same. */
export const HISTORY_MS = 7 * 24 * 60 * 60 * 1000;

/** How far a token has read the history: the service keeps it, and a call has no cursor. */
export interface HistoryCursor {
  readonly fromDate: string;
  readonly read: number;
}

/**
 * Returns the next page of all messages since a time, oldest first, and the cursor after it; no cursor at the end. A call
 * with another time starts over. Public documents name only `msg_from` and `msg_to`; the other names are the sandbox's choice.
 */
export const readHistory = (state: ServiceState, from: Date, cursor: HistoryCursor | undefined) => {
  const fromDate = from.toISOString();
  const start = cursor?.fromDate === fromDate ? cursor.read : 0;
  const all = [...state.messages.values()]
    .filter(({ at }) => at >= from)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const messages = all.slice(start, start + HISTORY_PAGE).map((message) => entryOf(state, message));
  const read = start + messages.length;
  const hasMore = read < all.length;
  const next: HistoryCursor | undefined = hasMore ? { fromDate, read } : undefined;
  return { page: { hasMore, messages, count: messages.length }, next };
};

const entryOf = (state: ServiceState, message: ChatMessage) => {
  const user = state.users.get(message.contactKey);
  const contact = user?.contact ?? message.contactKey;
  return {
    _id_: message.id,
    chatPlatform: state.chatPlatform,
    chatChannelNumber: message.chatChannelNumber,
    customerId: user?.customerId,
    date: message.at.toISOString(),
    ...(isSent(message)
      ? {
          msg_from: authorOf(message) === 'bot' ? 'bot' : 'me',
          msg_to: contact,
          message: message.content.messageText ?? '',
        }
      : {
          msg_from: contact,
          msg_to: 'me',
          fromName: user?.name,
          message: message.text ?? '',
          image: message.imageUrls,
          audio: message.audioUrls,
          file: message.fileUrls,
        }),
  };
};
