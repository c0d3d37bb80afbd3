import { chatChannelNumbers, findChannel } from './channels.ts';
import { messageEvent } from './events.ts';
import type { ReceivedMessage, Refusal } from './model.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { contactKey, ensureUser, findUser, putUser } from './users.ts';
import { withInbound } from './window.ts';

export type UserMessage = {
  text?: string;
  imageUrls?: readonly string[];
  audioUrls?: readonly string[];
  fileUrls?: readonly string[];
  /** The time of the message, its CREATION_TIME. @default now */
  at?: Date;
  /** The business's own number that the user writes to. @default the first one */
  chatChannelNumber?: string;
};

export type UserMessageOutcome = { kind: 'accepted'; id: string } | { kind: 'refused'; refusal: Refusal };

/** Receives a message from a user, which opens the window from the message's time and produces an event. */
export const receiveFromUser = (
  state: ServiceState,
  contact: string,
  message: UserMessage,
  moment: Moment,
): Change<UserMessageOutcome> => {
  const requested = message.chatChannelNumber ?? chatChannelNumbers(state)[0] ?? '';
  const chatChannelNumber = findChannel(state, requested);
  if (chatChannelNumber === undefined) return refused({ reason: 'INVALID_CHANNEL', chatChannelNumber: requested });
  if (findUser(state, contact)?.onPlatform === false) return refused({ reason: 'NOT_ON_PLATFORM', contact });

  const at = message.at ?? moment.now;
  const known = ensureUser(state, contact, moment);
  const conversation = withInbound(known.conversations.get(chatChannelNumber), at, moment.now);
  const user = putUser(state, {
    ...known,
    conversations: new Map(known.conversations).set(chatChannelNumber, conversation),
  });
  const { text, imageUrls = [], audioUrls = [], fileUrls = [] } = message;
  const received: ReceivedMessage = {
    direction: 'in',
    id: moment.newId(),
    at,
    receivedAt: moment.now,
    chatChannelNumber,
    contactKey: contactKey(contact),
    sessionStartedAt: conversation.sessionStartedAt,
    text,
    imageUrls,
    audioUrls,
    fileUrls,
  };
  state.messages.set(received.id, received);
  return { result: { kind: 'accepted', id: received.id }, events: [messageEvent(state, user, received)] };
};

const refused = (refusal: Refusal): Change<UserMessageOutcome> => ({
  result: { kind: 'refused', refusal },
  events: [],
});
