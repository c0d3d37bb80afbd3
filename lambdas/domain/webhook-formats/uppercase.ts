import {
  buttonIn,
  type Content,
  type Fields,
  failureIn,
  has,
  idIn,
  nameIn,
  type ServiceEvent,
  type ServiceMessage,
  textIn,
  textsIn,
  type WebhookFormat,
  writtenTextIn,
} from './webhook-format.ts';

/** The contract's own format: "Inbound user message" and "Message status notification". */
export const uppercase: WebhookFormat = {
  name: 'uppercase',
  userFields: ['FROM', 'TO'],
  businessNames: ['me', 'bot'],
  matches: (fields) => has(fields, '_id_') && (has(fields, 'FROM') || has(fields, 'STATUS')),
  read(fields): ServiceEvent {
    const from = nameIn(fields, 'FROM');
    const sender = senderOf(from);
    const literal = textIn(fields, 'STATUS');
    const message =
      from !== undefined && (!literal || hasContent(fields)) ? messageOf(fields, from, sender) : undefined;
    return {
      ...(has(fields, 'STATUS') && literal === undefined && { fault: 'STATUS: is not a string' }),
      id: idIn(fields, '_id_'),
      idField: '_id_',
      chatPlatform: textIn(fields, 'CHAT_PLATFORM_ID'),
      // In what the business wrote, TO is the user; in what a user wrote, it is the business.
      user: sender === 'user' ? from : nameIn(fields, 'TO'),
      recipient: nameIn(fields, 'TO'),
      lines: [nameIn(fields, 'CHAT_CHANNEL_ID'), ...(sender === 'user' ? [nameIn(fields, 'TO')] : [])],
      customerId: idIn(fields, 'CUSTOMER_ID'),
      name: textIn(fields, 'FROM_NAME'),
      time: fields.CREATION_TIME,
      modificationTime: fields.LAST_MODIFICATION,
      requestId: textIn(fields, 'CLIENT_PAYLOAD'),
      ...(message && { message }),
      ...(literal && {
        status: { literal, failure: failureIn(fields, 'ERROR', 'REASON', 'ERROR_CODE', 'ERROR_MESSAGE') },
      }),
    };
  },
};

const senderOf = (from: string | undefined): 'user' | 'bot' | 'business' => {
  const name = from?.toLowerCase();
  return name === 'me' ? 'business' : name === 'bot' ? 'bot' : 'user';
};

const messageOf = (fields: Fields, senderName: string, sender: ServiceMessage['sender']): ServiceMessage => ({
  sender,
  senderName,
  content: contentOf(fields),
});

const contentOf = (fields: Fields): Content => {
  const text = writtenTextIn(fields, 'MESSAGE');
  const reactions = textsIn(fields, 'REACTIONS');
  return {
    text,
    media: {
      images: textsIn(fields, 'IMAGES_URLS'),
      audios: textsIn(fields, 'AUDIOS_URLS'),
      files: textsIn(fields, 'FILES_URLS'),
      videos: textsIn(fields, 'VIDEOS_URLS'),
    },
    button: buttonIn(text),
    ...(reactions.length > 0 && { reactions }),
  };
};

/**
 * Whether a status also carries a message: a MESSAGE that is not empty, or a URL of media. The contract does not list
 * the fields of all media, so any field counts whose name ends in `_URL` or `_URLS`.
 */
const hasContent = (fields: Fields): boolean =>
  Object.entries(fields).some(([name, value]) => (name === 'MESSAGE' || /_URLS?$/.test(name)) && !isEmpty(value));

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
