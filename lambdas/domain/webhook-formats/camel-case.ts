import { entryContent } from './entry-content.ts';
import { has, idIn, nameIn, type Sender, textIn, type WebhookFormat } from './webhook-format.ts';

/** Messages as services have documented them since 2019. Their statuses come in the format `uppercase`. */
export const camelCase: WebhookFormat = {
  name: 'camelCase',
  userFields: ['contactId'],
  matches: (fields) => has(fields, '_id_') && (has(fields, 'contactId') || has(fields, 'fromCustomer')),
  read: (fields) => ({
    id: idIn(fields, '_id_'),
    idField: '_id_',
    chatPlatform: textIn(fields, 'chatPlatform'),
    // The user, also in what a bot or an operator wrote.
    user: nameIn(fields, 'contactId'),
    lines: [nameIn(fields, 'WHATSAPP_NUMBER')],
    customerId: idIn(fields, 'customerId'),
    name: textIn(fields, 'fromName'),
    time: fields.date,
    message: { sender: senderOf(fields.fromCustomer), content: entryContent(fields) },
  }),
};

const senderOf = (fromCustomer: unknown): Sender =>
  fromCustomer === true ? 'user' : fromCustomer === false ? 'business' : 'unknown';
