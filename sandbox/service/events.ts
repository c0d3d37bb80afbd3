import type { ReceivedMessage, SentMessage } from './chat-message.ts';
import type { ChatEvent, ServiceState } from './state.ts';
import type { User } from './users.ts';

/**
 * Contract, "Inbound user message". The fields beyond it, and media arrays that are present and empty, are those
 * that the field notes name under "Inbound events".
 */
export const messageEvent = (state: ServiceState, user: User, message: ReceivedMessage): ChatEvent => ({
  ...common(state, user, message.id, message.chatChannelNumber),
  OBJECT_TYPE: 'message',
  TO: message.chatChannelNumber,
  // The contract has a user's name only "when available".
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

/** Contract, "Message status notification"; `_id_` is the id of the message that it speaks of (field notes). */
export const statusEvent = (
  state: ServiceState,
  user: User,
  message: SentMessage,
  status: 'delivered' | 'read',
  now: Date,
): ChatEvent => ({
  ...common(state, user, message.id, message.chatChannelNumber),
  OBJECT_TYPE: 'status',
  STATUS: status,
  ...(message.clientPayload === undefined ? {} : { CLIENT_PAYLOAD: message.clientPayload }),
  CREATION_TIME: now.toISOString(),
});

const common = (state: ServiceState, user: User, id: string, chatChannelNumber: string) => ({
  _id_: id,
  BUSINESS_ID: 'sandbox-business',
  CHAT_PLATFORM_ID: state.chatPlatform,
  CHAT_CHANNEL_ID: chatChannelNumber,
  CUSTOMER_ID: user.customerId,
  FROM: user.contact,
});
