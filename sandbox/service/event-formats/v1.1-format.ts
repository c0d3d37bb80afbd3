import { authorOf, type EventFormat, type MessageEvent, writtenCode } from '../events.ts';
import { type ChatMessage, isSent, type User } from '../model.ts';
import { phoneDigits } from '../users.ts';
import { contentFields, explainUnsupportedMedia, senderName } from './camel-case-format.ts';

/** The format that real services document since 2025: an envelope about the user, with the messages in an array. */
export const v11Format: EventFormat = {
  explainUnsupported: explainUnsupportedMedia,
  writeMessages: (chatPlatform, messages) => {
    const [{ user, message }] = messages;
    const { customerId, createdAt, name } = user;
    const { txId } = isSent(message) ? message : {};
    return {
      ...envelope('message', chatPlatform, user, message),
      chatChannelId: `sandbox-business-${chatPlatform}-${phoneDigits(message.chatChannelNumber)}`,
      customerId,
      ...(name === undefined ? {} : { ...namesOf(name), whatsappNickName: name }),
      customerCreationTime: createdAt.toISOString(),
      ...sessionOf(user, message),
      ...(txId === undefined ? {} : { txId }),
      messages: messages.map(entry),
    };
  },
  // Names only the message and, for one that was sent as a job, the job. It has no time.
  writeStatus: (chatPlatform, { user, message, status }) => ({
    ...envelope('status', chatPlatform, user, message),
    messageId: message.id,
    ...(message.txId === undefined ? {} : { intentTxId: message.txId }),
    status,
    ...(message.code === undefined ? {} : { reason: writtenCode(message.code) }),
  }),
};

const envelope = (type: 'message' | 'status', chatPlatform: string, user: User, message: ChatMessage) => ({
  v: '1.1',
  type,
  chatPlatform,
  // The user's address, whoever wrote the message, with a plus if it is a phone number.
  contactId: user.contact.replace(/^(?=\d+$)/, '+'),
  whatsappNumber: message.chatChannelNumber,
});

const entry = (event: MessageEvent) => {
  const { message, fields } = event;
  const { buttonPayload } = isSent(message) ? {} : message;
  return {
    ...senderName(event),
    ...fields,
    _id: message.id,
    date: message.at.toISOString(),
    from: authorOf(message),
    ...contentFields(event),
    ...(buttonPayload === undefined ? {} : { buttonPayload }),
  };
};

const namesOf = (name: string) => {
  const [firstName = '', ...others] = name.split(' ');
  return { firstName, ...(others.length === 0 ? {} : { lastName: others.join(' ') }) };
};

const sessionOf = (user: User, message: ChatMessage) => {
  const startedAt = isSent(message)
    ? user.conversations.get(message.chatChannelNumber)?.sessionStartedAt
    : message.sessionStartedAt;
  if (startedAt === undefined) return {};
  const sessionCreationTime = startedAt.toISOString();
  return { sessionCreationTime, sessionId: `${user.customerId}_${sessionCreationTime}` };
};
