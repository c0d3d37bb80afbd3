import { uppercase } from './uppercase.ts';
import { type Fields, fieldsIn, type WebhookFormat } from './webhook-format.ts';

/**
 * The input of the service's code actions, which businesses forward to their servers by hand. It wraps an event of the
 * format `uppercase`.
 */
export const codeAction: WebhookFormat = {
  name: 'code-action',
  userFields: uppercase.userFields,
  businessNames: uppercase.businessNames ?? [],
  matches: (fields) => messageIn(fields) !== undefined,
  read: (fields) => uppercase.read(messageIn(fields) ?? {}),
  unwrap: (fields) => messageIn(fields) ?? {},
};

const messageIn = (fields: Fields): Fields | undefined => {
  const context = fieldsIn(fields, 'context');
  return context && fieldsIn(context, 'message');
};
