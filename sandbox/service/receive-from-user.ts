import { chatChannelNumbers, findChannel } from './channels.ts';
import type { ReceivedMessage } from './chat-message.ts';
import { contactKey } from './contact-key.ts';
import { messageEvent } from './events.ts';
import type { Refusal } from './refusal.ts';
import type { Change, Moment, ServiceState } from './state.ts';
import { findUser, putUser, userOf } from './users.ts';
import { withInbound } from './window.ts';

export type UserMessage = {
  text?: string;
  imageUrls?: readonly string[];
  audioUrls?: readonly string[];
  fileUrls?: readonly string[];
  /** The time of the message, its CREATION_TIME; now when absent. */
  at?: Date;
  /** The business's own number that the user writes to; the first one when absent. */
  chatChannelNumber?: string;
};

export type UserMessageOutcome = { kind: 'accepted'; id: string } | { kind: 'refused'; refusal: Refusal };

/** The user writes: the window of that user and number opens at the message's time, and the event goes out. */
export const receiveFromUser = (
  state: ServiceState,
  contact: string,
  message: UserMessage,
  moment: Moment,
): Change<UserMessageOutcome> => {
  const asked = message.chatChannelNumber ?? chatChannelNumbers(state)[0] ?? '';
  const chatChannelNumber = findChannel(state, asked);
  if (chatChannelNumber === undefined) return refused({ reason: 'INVALID_CHANNEL', chatChannelNumber: asked });
  if (findUser(state, contact)?.onPlatform === false) return refused({ reason: 'NOT_ON_PLATFORM', contact });

  const at = message.at ?? moment.now;
  const known = userOf(state, contact, moment);
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
