import * as z from '../domain/schema.ts';
import type { ConversationDesk } from '../ports.ts';
import { type Answer, ok } from './answer.ts';
import { type ContactNaming, contactOf } from './contact-of.ts';
import { INVALID_CURSOR, readCursor, writeCursor } from './cursor.ts';
import { contactNotFound } from './get-contact.ts';
import { type ManagementCall, readQuery } from './input.ts';
import { conversationQuery } from './requests.ts';

export interface GetConversationPorts extends ContactNaming {
  readonly desk: ConversationDesk;
}

const DEFAULT_LIMIT = 50;

const position = z.strictObject({ pk: z.string(), sk: z.string(), createdAt: z.string() });

/** A contact's messages, newest first. */
export const createGetConversation =
  (ports: GetConversationPorts) =>
  async ({ id, query: raw }: ManagementCall): Promise<Answer> => {
    const query = readQuery(conversationQuery, raw);
    if (query.kind === 'faulty') return query.answer;
    const { cursor, limit = DEFAULT_LIMIT } = query.value;
    const after = cursor === undefined ? undefined : readCursor(position, cursor);
    if (cursor !== undefined && after === undefined) return INVALID_CURSOR;
    const { desk } = ports;
    const contact = contactOf(ports, { ...query.value, platformContactId: id });
    const { messages, next } = await desk.readConversation(contact, { limit, after });
    if (messages.length === 0 && after === undefined && !(await desk.readContact(contact))) return contactNotFound(id);
    return ok({ messages, cursor: next && writeCursor({ ...next }) });
  };
