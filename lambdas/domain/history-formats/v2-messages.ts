import { locationOf } from '../webhook-formats/entry-content.ts';
import {
  type Button,
  type Content,
  type Fields,
  fieldsIn,
  filledTextIn,
  has,
  idIn,
  isFields,
  listIn,
  type Media,
  nameIn,
  type ServiceEvent,
  senderNamed,
  textIn,
} from '../webhook-formats/webhook-format.ts';
import type { HistoryFormat } from './history-format.ts';

/** The messages that `GET /messages` of API v2.0 returns, in pages with `nextPage`. */
export const v2Messages: HistoryFormat = {
  name: 'v2-messages',
  userFields: ['contactId'],
  matches: isMessage,
  pageList: (fields) =>
    LISTS.find(
      (name) =>
        Array.isArray(fields[name]) && (Object.hasOwn(fields, 'nextPage') || listIn(fields, name).some(isMessage)),
    ),
  read(fields): ServiceEvent {
    const chat = fieldsIn(fields, 'chat') ?? {};
    const channelId = nameIn(chat, 'channelId') ?? nameIn(fields, 'channelId');
    const senderName = textIn(fields, 'from');
    return {
      id: idIn(fields, 'id'),
      idField: 'id',
      chatPlatform: filledTextIn(chat, 'chatPlatform') ?? filledTextIn(fields, 'chatPlatform') ?? platformOf(channelId),
      user: nameIn(chat, 'contactId') ?? nameIn(fields, 'contactId'),
      lines: [channelId],
      customerId: idIn(chat, 'chatId') ?? idIn(fields, 'chatId'),
      time: fields.creationTime,
      message: { sender: senderNamed(senderName?.toLowerCase()), senderName, content: contentOf(fields) },
    };
  },
};

const LISTS = ['items', 'messages'];

function isMessage(value: unknown): boolean {
  return isFields(value) && has(value, 'id') && has(value, 'creationTime') && has(value, 'from') && !has(value, '_id_');
}

/** The ID of a channel contains its platform, such as `acme-whatsapp-5491100000000`. */
const platformOf = (channelId: string | undefined): string | undefined =>
  channelId === undefined ? undefined : /-(whatsapp|webchat|messenger|telegram|twitter)-/i.exec(channelId)?.[1];

const contentOf = (fields: Fields): Content => {
  const content = fieldsIn(fields, 'content') ?? {};
  const type = textIn(content, 'type');
  const media = fieldsIn(content, 'media') ?? {};
  const location = fieldsIn(content, 'location');
  const button = selectedButton(content);
  return {
    text:
      filledTextIn(content, 'text') ??
      filledTextIn(media, 'caption') ??
      filledTextIn(content, 'originalText') ??
      button?.text,
    media: mediaOf(type, filledTextIn(media, 'url')),
    ...(button && { button }),
    ...(location && { location: locationOf(location) }),
    ...(type === 'call' && { unsupported: 'call' }),
    templateName: filledTextIn(content, 'whatsAppTemplateName'),
  };
};

/** The documents show only that there is such a field: a text, or an object with the button's label. */
const selectedButton = (content: Fields): Button | undefined => {
  const text = filledTextIn(content, 'selectedButton');
  if (text !== undefined) return { text };
  const button = fieldsIn(content, 'selectedButton');
  return (
    button && {
      text: filledTextIn(button, 'label') ?? filledTextIn(button, 'text'),
      payload: filledTextIn(button, 'payload') ?? filledTextIn(button, 'intent') ?? filledTextIn(button, 'id'),
    }
  );
};

const mediaOf = (type: string | undefined, url: string | undefined): Media => {
  const urls = url === undefined ? [] : [url];
  const isKnown = type === 'image' || type === 'audio' || type === 'video';
  return {
    images: type === 'image' ? urls : [],
    audios: type === 'audio' ? urls : [],
    videos: type === 'video' ? urls : [],
    files: isKnown ? [] : urls,
  };
};
