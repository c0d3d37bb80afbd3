import { authorOf, type EventFormat, type MessageEvent, writtenCode } from '../events.ts';
import { isSent, type ReceivedMessage, type SentMessage, type User } from '../model.ts';

/** The contract's format ("Resources"): field names in upper case. Messages that come together are an array. */
export const uppercaseFormat: EventFormat = {
  explainUnsupported: ({ location, contacts, error }) => {
    if (location !== undefined) return 'has no location';
    if (contacts !== undefined) return 'has no contacts';
    return error === undefined ? undefined : 'has no error';
  },
  writeMessages: (chatPlatform, messages) => {
    const [first, ...others] = messages.map((event) => message(chatPlatform, event));
    return others.length === 0 ? first : [first, ...others];
  },
  // Its `_id_` is the id of the message it refers to (field notes).
  writeStatus: (chatPlatform, { user, message, status, at }) => ({
    ...commonFields(chatPlatform, user, message.id, message.chatChannelNumber),
    OBJECT_TYPE: 'status',
    STATUS: status,
    ...(message.code === undefined ? {} : { REASON: writtenCode(message.code) }),
    ...(message.clientPayload === undefined ? {} : { CLIENT_PAYLOAD: message.clientPayload }),
    CREATION_TIME: at.toISOString(),
  }),
};

const message = (chatPlatform: string, { user, message, fields }: MessageEvent) =>
  isSent(message) ? echo(chatPlatform, user, message, fields) : inbound(chatPlatform, user, message);

/** The additional fields, and media arrays that are present and empty, follow the field notes, "Inbound events". */
const inbound = (chatPlatform: string, user: User, message: ReceivedMessage) => ({
  ...commonFields(chatPlatform, user, message.id, message.chatChannelNumber),
  OBJECT_TYPE: 'message',
  TO: message.chatChannelNumber,
  // Contract, "Inbound user message": the name is there only "when available".
  ...(user.name === undefined ? {} : { FROM_NAME: user.name }),
  MESSAGE: textOf(message),
  IMAGES_URLS: message.imageUrls,
  AUDIOS_URLS: message.audioUrls,
  FILES_URLS: message.fileUrls,
  VIDEOS_URLS: message.videoUrls ?? [],
  TAGS: [],
  REACTIONS: [],
  SESSION_CREATION_TIME: message.sessionStartedAt.toISOString(),
  CREATION_TIME: message.at.toISOString(),
  LAST_MODIFICATION: (message.edits?.at(-1) ?? message.receivedAt).toISOString(),
});

/** A pressed button is JSON in a string (field notes, "Inbound events"). */
const textOf = ({ text = '', buttonPayload }: ReceivedMessage): string =>
  buttonPayload === undefined ? text : JSON.stringify({ button: text, intent: buttonPayload });

/** FROM is `me` (field notes). Which field names an operator is not known, so it is among the given fields. */
const echo = (chatPlatform: string, user: User, message: SentMessage, fields: MessageEvent['fields']) => ({
  ...fields,
  ...commonFields(chatPlatform, user, message.id, message.chatChannelNumber),
  OBJECT_TYPE: 'message',
  FROM: 'me',
  ...(authorOf(message) === 'bot' ? { FROM_NAME: 'Bot' } : {}),
  TO: user.contact,
  MESSAGE: message.content.messageText ?? '',
  IMAGES_URLS: urls(message.content.imageURL),
  AUDIOS_URLS: urls(message.content.audioURL),
  FILES_URLS: urls(message.content.fileURL),
  VIDEOS_URLS: [],
  CREATION_TIME: message.at.toISOString(),
  LAST_MODIFICATION: message.at.toISOString(),
});

const urls = (url: string | undefined): readonly string[] => (url === undefined ? [] : [url]);

const commonFields = (chatPlatform: string, user: User, id: string, chatChannelNumber: string) => ({
  _id_: id,
  BUSINESS_ID: 'sandbox-business',
  CHAT_PLATFORM_ID: chatPlatform,
  CHAT_CHANNEL_ID: chatChannelNumber,
  CUSTOMER_ID: user.customerId,
  FROM: user.contact,
});
