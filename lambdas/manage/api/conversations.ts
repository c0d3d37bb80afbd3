import { type ContactDefaults, resolveContact } from '../../domain/contact.ts';
import { detailedMessage, messageRecord } from '../../domain/message.ts';
import * as z from '../../domain/schema.ts';
import type { Clock, ContactRepository, MessageRepository } from '../../ports.ts';
import {
  cursorField,
  defineRoute,
  eventIdField,
  noBody,
  noQuery,
  ok,
  pageSize,
  parseCursor,
  problem,
  problemResponse,
  storedContactFields,
  writeCursor,
} from './api.ts';
import { contactNotFound } from './contacts.ts';

export interface ConversationPorts {
  readonly contacts: Pick<ContactRepository, 'read'>;
  readonly messages: Pick<MessageRepository, 'read' | 'readConversation'>;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
}

const DEFAULT_PAGE_SIZE = 50;

export const conversationResponse = z.object({
  /** Newest first. */
  messages: z.array(messageRecord),
  /** Pass it to get the next page. Absent on the last page. */
  cursor: z.optional(z.string()),
});

export const getConversation = defineRoute({
  route: 'GET /v1/conversations/{platformContactId+}',
  summary: 'List the messages of a contact, newest first',
  id: eventIdField,
  query: z.strictObject({
    ...storedContactFields,
    /** Messages per page, at most. @default 50 */
    limit: z.optional(pageSize(500)),
    cursor: z.optional(cursorField),
  }),
  body: noBody,
  responses: { 200: conversationResponse, 400: problemResponse, 404: problemResponse },
  async handle({ contacts, messages, clock, contactDefaults }: ConversationPorts, { id, query }) {
    const { cursor, limit = DEFAULT_PAGE_SIZE } = query;
    const after = parseCursor(cursor);
    const contact = resolveContact(contactDefaults, { ...query, platformContactId: id });
    const page = await messages.readConversation(contact, { limit, after });
    const isEmpty = page.messages.length === 0 && page.next === undefined && after === undefined;
    if (isEmpty && !(await contacts.read(contact, clock.now()))) return contactNotFound(id);
    return ok({ messages: page.messages, cursor: page.next && writeCursor(page.next) });
  },
});

export const getMessage = defineRoute({
  route: 'GET /v1/messages/{messageId+}',
  summary: 'Get a message with its statuses, its echo, and its versions',
  id: eventIdField,
  query: noQuery,
  body: noBody,
  responses: {
    200: detailedMessage,
    400: problemResponse,
    404: problemResponse,
  },
  async handle({ messages }: Pick<ConversationPorts, 'messages'>, { id }) {
    const message = await messages.read(id);
    return message ? ok(message) : problem(404, 'MESSAGE_NOT_FOUND', `There is no message with the id ${id}.`);
  },
});
