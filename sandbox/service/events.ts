import type { ReceivedMessage, SentMessage, User } from './model.ts';
import type { ChatEvent, ServiceState } from './state.ts';

/**
 * Builds the event for a user's message (contract, "Inbound user message"). The additional fields, and media arrays
 * that are present and empty, follow the field notes, "Inbound events".
 */
export const messageEvent = (state: ServiceState, user: User, message: ReceivedMessage): ChatEvent => ({
  ...commonFields(state, user, message.id, message.chatChannelNumber),
  OBJECT_TYPE: 'message',
  TO: message.chatChannelNumber,
  // Contract, "Inbound user message": the name is there only "when available".
  ...(user.name === undefined ? {} : { FROM_NAME: user.name }),
  MESSAGE: message.text ?? '',
  IMAGES_URLS: message.imageUrls,
  AUDIOS_URLS: message.audioUrls,
  FILES_URLS: message.fileUrls,
  VIDEOS_URLS: [],
  TAGS: [],
  REACTIONS: [],
  SESSION_CREATION_TIME: message.sessionStartedAt.toISOString(),
  CREATION_TIME: message.at.toISOString(),
  LAST_MODIFICATION: message.receivedAt.toISOString(),
});

/**
 * Builds the event with which an operator's message comes back (field notes, "Inbound events": FROM is `me`). Which field
 * names the operator is not known, so the caller adds it.
 */
export const echoEvent = (state: ServiceState, user: User, message: SentMessage, fields: ChatEvent): ChatEvent => ({
  ...fields,
  ...commonFields(state, user, message.id, message.chatChannelNumber),
  OBJECT_TYPE: 'message',
  FROM: 'me',
  TO: user.contact,
  MESSAGE: message.content.messageText ?? '',
  IMAGES_URLS: [],
  AUDIOS_URLS: [],
  FILES_URLS: [],
  VIDEOS_URLS: [],
  CREATION_TIME: message.at.toISOString(),
  LAST_MODIFICATION: message.at.toISOString(),
});

/** Builds a status notification (contract). Its `_id_` is the id of the message it refers to (field notes). */
export const statusEvent = (
  state: ServiceState,
  user: User,
  message: SentMessage,
  status: 'delivered' | 'read',
  now: Date,
): ChatEvent => ({
  ...commonFields(state, user, message.id, message.chatChannelNumber),
  OBJECT_TYPE: 'status',
  STATUS: status,
  ...(message.clientPayload === undefined ? {} : { CLIENT_PAYLOAD: message.clientPayload }),
  CREATION_TIME: now.toISOString(),
});

const commonFields = (state: ServiceState, user: User, id: string, chatChannelNumber: string) => ({
  _id_: id,
  BUSINESS_ID: 'sandbox-business',
  CHAT_PLATFORM_ID: state.chatPlatform,
  CHAT_CHANNEL_ID: chatChannelNumber,
  CUSTOMER_ID: user.customerId,
  FROM: user.contact,
});
