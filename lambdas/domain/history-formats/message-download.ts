import {
  buttonIn,
  type Content,
  type Fields,
  filledTextIn,
  has,
  idIn,
  isFields,
  listIn,
  nameIn,
  type Sender,
  type ServiceEvent,
  textsIn,
} from '../webhook-formats/webhook-format.ts';
import type { HistoryFormat } from './history-format.ts';

/**
 * The answer of `POST message/download` of API v1.0. Only `msg_from` and `msg_to` of its entries are documented, so the
 * other fields are found by any of their usual names, however they are written: `_id_`, `msg_id`, and `ID` are the same.
 */
export const messageDownload: HistoryFormat = {
  name: 'message-download',
  userFields: ['msg_from', 'msg_to'],
  businessNames: ['me', 'bot'],
  matches: isEntry,
  pageList: (fields) =>
    Array.isArray(fields.messages) && (Object.hasOwn(fields, 'hasMore') || listIn(fields, 'messages').some(isEntry))
      ? 'messages'
      : undefined,
  read(entry): ServiceEvent {
    const fields = plainNames(entry);
    const [from, to] = [nameIn(fields, 'from'), nameIn(fields, 'to')];
    const sender = senderOf(from, to);
    return {
      ...(sender === undefined && { fault: 'msg_from and msg_to: neither is me or bot, so the sender is not known' }),
      id: messageIdIn(entry),
      idField: '_id_',
      chatPlatform: first(fields, filledTextIn, 'chatplatform', 'chatplatformid', 'platform'),
      user: userAmong(sender === 'user' ? from : to),
      lines: ['chatchannelnumber', 'whatsappnumber', 'chatchannelid', 'channelid'].map((name) => nameIn(fields, name)),
      customerId: first(fields, idIn, 'customerid', 'chatid'),
      ...(sender === 'user' && { name: first(fields, filledTextIn, 'fromname', 'name') }),
      time: timeOf(fields.creationtime ?? fields.date ?? fields.time ?? fields.timestamp),
      message: { sender: sender ?? 'unknown', senderName: from, content: contentOf(fields) },
    };
  },
};

/** An entry with `FROM` is an event in the format `uppercase`. */
function isEntry(value: unknown): boolean {
  return isFields(value) && (has(value, 'msg_from') || has(value, 'msg_to')) && !has(value, 'FROM');
}

/** Returns the fields under names in lower case, with letters and digits only, and without `msg_` in front. */
const plainNames = (entry: Fields): Fields => {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    const short = plain.replace(/^msg(?=.)/, '');
    if (!has(fields, short)) fields[short] = value;
  }
  return fields;
};

/** An entry can have an ID of its own besides that of the message: the more specific name takes precedence. */
const ID_NAMES = ['_id_', 'msg_id', 'id', 'message_id', 'messageid'];

const messageIdIn = (entry: Fields): string | undefined => {
  const lower = Object.fromEntries(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value]));
  const ids = [...ID_NAMES.map((name) => idIn(lower, name)), first(plainNames(entry), idIn, 'id', 'messageid')];
  return ids.find((id) => id !== undefined && id !== '') ?? ids.find((id) => id !== undefined);
};

const first = (
  fields: Fields,
  read: (fields: Fields, name: string) => string | undefined,
  ...names: readonly string[]
): string | undefined => names.map((name) => read(fields, name)).find((value) => value !== undefined);

const BUSINESS = ['me', 'bot'];

const isBusiness = (name: string | undefined): boolean => name !== undefined && BUSINESS.includes(name.toLowerCase());

const userAmong = (name: string | undefined): string | undefined => (isBusiness(name) ? undefined : name);

/** The user wrote only what comes from an address and goes to the business. */
const senderOf = (from: string | undefined, to: string | undefined): Sender | undefined => {
  if (isBusiness(from)) return from?.toLowerCase() === 'bot' ? 'bot' : 'business';
  return from !== undefined && isBusiness(to) ? 'user' : undefined;
};

const contentOf = (fields: Fields): Content => {
  const text = first(fields, filledTextIn, 'message', 'text', 'messagetext', 'msg', 'caption');
  const urls = (kind: string): readonly string[] => {
    const names = [`${kind}surls`, `${kind}s`, `${kind}url`, kind];
    const one = first(fields, filledTextIn, ...names);
    return one === undefined ? names.flatMap((name) => textsIn(fields, name)) : [one];
  };
  return {
    text,
    media: { images: urls('image'), audios: urls('audio'), files: urls('file'), videos: urls('video') },
    button: buttonIn(text),
  };
};

/** A time can also be in seconds or milliseconds since the epoch. */
const timeOf = (value: unknown): unknown => {
  const digits = typeof value === 'number' ? String(value) : value;
  if (typeof digits !== 'string' || !/^(\d{10}|\d{13})$/.test(digits)) return value;
  return new Date(Number(digits) * (digits.length === 10 ? 1000 : 1)).toISOString();
};
