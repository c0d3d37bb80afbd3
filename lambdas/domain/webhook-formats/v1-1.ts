import { entryContent } from './entry-content.ts';
import {
  type Fields,
  failureIn,
  filledTextIn,
  has,
  idIn,
  isFields,
  listIn,
  nameIn,
  type Sender,
  type ServiceEvent,
  senderNamed,
  textIn,
  type WebhookFormat,
} from './webhook-format.ts';

/** The format of today's console webhooks: an envelope with a list of messages. */
export const v1_1: WebhookFormat = {
  name: 'v1.1',
  list: (fields) => (typeOf(fields) === 'message' ? 'messages' : undefined),
  // Not the phones of contact cards, which belong to other people.
  userFields: ['contactId'],
  matches: (fields) =>
    Array.isArray(fields.messages) ||
    has(fields, 'v') ||
    (KINDS.includes(textIn(fields, 'type') ?? '') && has(fields, 'contactId')),
  read(fields, index = 0) {
    const common = {
      chatPlatform: textIn(fields, 'chatPlatform'),
      // The user, also in what a bot or an operator wrote. `whatsappNumber` is the business's own number.
      user: nameIn(fields, 'contactId'),
      lines: [nameIn(fields, 'whatsappNumber'), nameIn(fields, 'chatChannelId')],
      customerId: idIn(fields, 'customerId'),
      transactionId: nameIn(fields, 'txId') ?? nameIn(fields, 'intentTxId'),
    };
    const entry = listIn(fields, 'messages')[index];
    const type = typeOf(fields);
    if (type === 'message' && isFields(entry)) return { ...common, ...readMessage(fields, entry) };
    const literal = filledTextIn(fields, 'status');
    if (type === 'status' && literal !== undefined && has(fields, 'messageId')) {
      return { ...common, ...readStatus(fields, literal) };
    }
    // For example a status that names no message, or a message notification without messages.
    const unknown = KINDS.includes(type) && type !== 'event' ? `incomplete-${type}` : type || 'untyped';
    return { ...common, idField: '_id', time: timeIn(fields), unknown };
  },
  unwrap(fields) {
    const [entry] = listIn(fields, 'messages');
    return isFields(entry) ? { ...fields, ...entry } : fields;
  },
};

const KINDS = ['message', 'status', 'event'];

const typeOf = (fields: Fields): string =>
  textIn(fields, 'type') ?? (listIn(fields, 'messages').length === 0 ? '' : 'message');

const readMessage = (fields: Fields, entry: Fields) => {
  const names = [filledTextIn(fields, 'firstName'), filledTextIn(fields, 'lastName')].filter(
    (part) => part !== undefined,
  );
  return {
    id: idIn(entry, '_id') ?? idIn(entry, '_id_') ?? idIn(entry, 'id'),
    idField: 'messages._id',
    name: names.join(' ') || textIn(fields, 'whatsappNickName'),
    time: entry.date,
    message: { ...senderOf(entry), content: entryContent(entry) },
  };
};

/**
 * Only an event that says that the user wrote it is the user's. `from` and `fromCustomer` must not contradict each
 * other.
 */
const senderOf = (entry: Fields): { readonly sender: Sender; readonly senderName?: string } => {
  const senderName = textIn(entry, 'from');
  const { fromCustomer } = entry;
  if (senderName === undefined && !has(entry, 'from')) {
    return { sender: fromCustomer === true ? 'user' : fromCustomer === false ? 'business' : 'unknown' };
  }
  const sender = senderNamed(senderName?.toLowerCase());
  const isContradicted = typeof fromCustomer === 'boolean' && fromCustomer !== (sender === 'user');
  if (isContradicted) return { sender: 'unknown' };
  return { sender, ...(senderName !== undefined && { senderName }) };
};

const readStatus = (fields: Fields, literal: string): Omit<ServiceEvent, 'lines'> => ({
  id: idIn(fields, 'messageId'),
  idField: 'messageId',
  time: timeIn(fields),
  requestId: textIn(fields, 'clientPayload') ?? textIn(fields, 'webhookPayload'),
  status: { literal, failure: failureIn(fields, 'reason', 'error') },
});

/** The field with the time of a status is not documented. */
const timeIn = (fields: Fields): unknown => fields.statusChangeTime ?? fields.date;
