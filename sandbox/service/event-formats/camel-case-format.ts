import { authorOf, type EventFormat, type MessageEvent } from '../events.ts';
import { isSent, type UserContent } from '../model.ts';
import { phoneDigits } from '../users.ts';
import { uppercaseFormat } from './uppercase-format.ts';

/**
 * The format of public documents from 2019 on. A webhook with this format gets statuses in the uppercase format.
 * Messages that come together are an array.
 */
export const camelCaseFormat: EventFormat = {
  explainUnsupported: (content) =>
    content.buttonPayload === undefined ? explainUnsupportedMedia(content) : 'has no buttons',
  writeMessages: (chatPlatform, messages) => {
    const [first, ...others] = messages.map((event) => message(chatPlatform, event));
    return others.length === 0 ? first : [first, ...others];
  },
  writeStatus: uppercaseFormat.writeStatus,
};

const message = (chatPlatform: string, event: MessageEvent) => {
  const { user, message, fields } = event;
  return {
    ...senderName(event),
    ...fields,
    date: message.at.toISOString(),
    chatPlatform,
    // The user's address, whoever wrote the message, and without a plus.
    contactId: user.contact.replace(/^\+/, ''),
    customerId: user.customerId,
    _id_: message.id,
    fromCustomer: authorOf(message) === 'user',
    WHATSAPP_NUMBER: phoneDigits(message.chatChannelNumber),
    ...contentFields(event),
  };
};

/** Returns the sender's name, if it is known. Fields of an operator's message can replace it. */
export const senderName = ({ user, message }: MessageEvent): { fromName?: string } => {
  const fromName = { user: user.name, bot: 'Bot', agent: 'Operator' }[authorOf(message)];
  return fromName === undefined ? {} : { fromName };
};

/** Returns one kind of content: a text, a media file with its caption, a location, contacts, or an error. */
export const contentFields = ({ message }: MessageEvent): Readonly<Record<string, unknown>> => {
  const { text, location, contacts, error } = isSent(message) ? { text: message.content.messageText } : message;
  const content = { location, contacts, error };
  const other = Object.entries(content).filter(([, value]) => value !== undefined);
  if (other.length > 0) return Object.fromEntries(other);
  // The service can send several media in one message, of which this format shows the first.
  const [media] = isSent(message)
    ? mediaOf({
        imageUrls: [message.content.imageURL ?? []].flat(),
        audioUrls: [message.content.audioURL ?? []].flat(),
        fileUrls: [message.content.fileURL ?? []].flat(),
      })
    : mediaOf(message);
  if (media === undefined) return { message: text ?? '' };
  return { [media.kind]: media.url, ...(text ? { caption: text } : {}) };
};

/** Why a format with one file per message cannot carry this message. */
export const explainUnsupportedMedia = (content: UserContent): string | undefined => {
  const media = mediaOf(content);
  if (media.length > 1) return 'has one image, audio, video, or file per message';
  return media[0]?.kind === 'audio' && content.text ? 'has no caption for audio' : undefined;
};

const mediaOf = ({ imageUrls, audioUrls, fileUrls, videoUrls = [] }: UserContent) => [
  ...imageUrls.map((url) => ({ kind: 'image', url })),
  ...audioUrls.map((url) => ({ kind: 'audio', url })),
  ...videoUrls.map((url) => ({ kind: 'video', url })),
  ...fileUrls.map((url) => ({ kind: 'file', url })),
];
