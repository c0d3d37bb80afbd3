import { type ContactDefaults, resolveContact, resolveCustomer } from '../../domain/contact.ts';
import { detailedMessage, messageRecord } from '../../domain/message.ts';
import * as z from '../../domain/schema.ts';
import type { Clock, ContactRepository, MessageRepository, UserPart } from '../../ports.ts';
import { type Answer, ok, problem, problemResponse } from './answer.ts';
import { contactNotFound } from './contacts.ts';
import { cursorField, parseCursor, writeCursor } from './cursor.ts';
import { customerIdField, customerNotFound, customerShared } from './customers.ts';
import { defineRoute, noBody, noQuery } from './define-route.ts';
import { eventIdField, pageSize, storedContactFields } from './fields.ts';
import { partsOfCustomer, readEarlierUsers } from './user-parts.ts';

export interface ConversationPorts {
  readonly contacts: Pick<ContactRepository, 'read' | 'readCustomer' | 'readOwn'>;
  readonly messages: Pick<MessageRepository, 'read' | 'readConversation' | 'readFirstInbound'>;
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

const pageFields = {
  /** Messages per page, at most. @default 50 */
  limit: z.optional(pageSize(500)),
  cursor: z.optional(cursorField),
};

/** Returns a page of messages, or else `notFound`, which is given if nothing else is stored about the user. */
const answerPage = async (
  { messages }: Pick<ConversationPorts, 'messages'>,
  parts: readonly UserPart[],
  { limit = DEFAULT_PAGE_SIZE, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  notFound: Answer | undefined,
): Promise<Answer> => {
  const after = parseCursor(cursor);
  const page = await messages.readConversation(parts, { limit, after });
  const isEmpty = page.messages.length === 0 && page.next === undefined && after === undefined;
  if (isEmpty && notFound !== undefined) return notFound;
  return ok({ messages: page.messages, cursor: page.next && writeCursor(page.next) });
};

export const getConversation = defineRoute({
  route: 'GET /v1/conversations/{platformContactId+}',
  summary: 'List the messages of a contact, newest first',
  description:
    "If another customer wrote from the address before, lists only the messages since the present user's first one, and " +
    'none that name only the other customer.',
  id: eventIdField,
  query: z.strictObject({ ...storedContactFields, ...pageFields }),
  body: noBody,
  responses: { 200: conversationResponse, 400: problemResponse, 404: problemResponse },
  async handle(ports: ConversationPorts, { id, query }) {
    const subject = resolveContact(ports.contactDefaults, { ...query, platformContactId: id });
    const contact = await ports.contacts.readOwn(subject, ports.clock.now());
    const notFound = contact === undefined ? contactNotFound(id) : undefined;
    const earlier = await readEarlierUsers(ports, subject, contact ?? {});
    return answerPage(ports, [{ subject, earlier }], query, notFound);
  },
});

export const listConversation = defineRoute({
  route: 'GET /v1/conversations',
  summary: 'List the messages of a customer at all addresses, newest first',
  description:
    'Lists the messages of all addresses of the customer, and those that name only the customer, in one order.',
  query: z.strictObject({ customerId: customerIdField, ...storedContactFields, ...pageFields }),
  body: noBody,
  responses: { 200: conversationResponse, 400: problemResponse, 404: problemResponse, 409: problemResponse },
  async handle(ports: ConversationPorts, { query }) {
    const customer = resolveCustomer(ports.contactDefaults, query);
    const parts = await partsOfCustomer(ports, customer);
    if (parts === 'shared') return customerShared(customer);
    const notFound = parts.length === 1 ? customerNotFound(customer) : undefined;
    return answerPage(ports, parts, query, notFound);
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
    return message
      ? ok(message)
      : problem(404, 'MESSAGE_NOT_FOUND', `There is no message with the ID ${id}. Check the ID.`);
  },
});
