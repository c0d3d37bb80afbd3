import { getAccount } from './account.ts';
import { chatChannelNumbers, findChannel } from './channels.ts';
import { EVENT_FORMATS } from './event-formats/event-formats.ts';
import type { MessageEvent } from './events.ts';
import type { ReceivedMessage, Refusal, UserContent } from './model.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { contactKey, ensureUser, findUser, putUser } from './users.ts';
import { withInbound } from './window.ts';

export type UserMessage = Partial<UserContent> & {
  /** The time of the message, its CREATION_TIME. @default now */
  readonly at?: Date;
};

export interface UserMessages {
  /** What the user writes, in one event. */
  readonly messages: readonly [UserMessage, ...UserMessage[]];
  /** The business's own number that the user writes to. @default the first one */
  readonly chatChannelNumber?: string;
}

export type UserMessageOutcome =
  | { readonly kind: 'accepted'; readonly ids: readonly string[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The account's event format cannot carry a message; the sentence says why. */
  | { readonly kind: 'unsupported'; readonly sentence: string };

/** Receives messages from a user, which open the window from their times and produce one event. */
export const receiveFromUser = (
  state: ServiceState,
  contact: string,
  { messages, chatChannelNumber: requested = chatChannelNumbers(state)[0] ?? '' }: UserMessages,
  moment: Moment,
): Change<UserMessageOutcome> => {
  const chatChannelNumber = findChannel(state, requested);
  if (chatChannelNumber === undefined) {
    return rejected({ kind: 'refused', refusal: { reason: 'INVALID_CHANNEL', chatChannelNumber: requested } });
  }
  if (findUser(state, contact)?.onPlatform === false) {
    return rejected({ kind: 'refused', refusal: { reason: 'NOT_ON_PLATFORM', contact } });
  }
  const [first, ...others] = messages;
  const unsupported = messages.map((message) => explainUnsupported(state, message)).find((why) => why !== undefined);
  if (unsupported !== undefined) return rejected({ kind: 'unsupported', sentence: unsupported });

  const receive = (message: UserMessage) => receiveOne(state, contact, chatChannelNumber, message, moment);
  const received: [MessageEvent, ...MessageEvent[]] = [receive(first), ...others.map(receive)];
  return {
    result: { kind: 'accepted', ids: received.map(({ message }) => message.id) },
    events: [{ kind: 'messages', messages: received }],
  };
};

export const rejected = (result: UserMessageOutcome): Change<UserMessageOutcome> => ({ result, events: [] });

const contentOf = ({ at: _at, imageUrls = [], audioUrls = [], fileUrls = [], ...other }: UserMessage): UserContent => ({
  ...other,
  imageUrls,
  audioUrls,
  fileUrls,
});

/** Why the account's event format cannot carry a message, as a sentence; undefined if it can. */
export const explainUnsupported = (state: ServiceState, message: UserMessage): string | undefined => {
  const { eventFormat } = getAccount(state);
  const why = EVENT_FORMATS[eventFormat].explainUnsupported(contentOf(message));
  return why && `The event format ${eventFormat} ${why}; see PATCH /sandbox/account for the format.`;
};

const receiveOne = (
  state: ServiceState,
  contact: string,
  chatChannelNumber: string,
  message: UserMessage,
  moment: Moment,
): MessageEvent => {
  const { at = moment.now } = message;
  const known = ensureUser(state, contact, moment);
  const conversation = withInbound(known.conversations.get(chatChannelNumber), at, moment.now);
  const user = putUser(state, {
    ...known,
    conversations: new Map(known.conversations).set(chatChannelNumber, conversation),
  });
  const received: ReceivedMessage = {
    ...contentOf(message),
    direction: 'in',
    id: moment.newId(),
    at,
    receivedAt: moment.now,
    chatChannelNumber,
    contactKey: contactKey(contact),
    sessionStartedAt: conversation.sessionStartedAt,
  };
  state.messages.set(received.id, received);
  return { user, message: received };
};
