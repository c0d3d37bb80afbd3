import { parseBufferedRequest } from './buffered-request.ts';
import { type ContactRef, contactKey, messageGroup } from './contact.ts';
import type { Instant } from './instant.ts';
import { nestedTexts } from './nested-text.ts';
import * as z from './schema.ts';
import { createTraceSearch } from './traces.ts';
import { namesUser, USER_FIELDS } from './webhook-formats/formats.ts';

/** The body of a dead letter, and its message group if its queue is FIFO. */
export interface DeadLetterText {
  readonly body: string;
  readonly groupId?: string;
}

/** The fields of events, requests, schedules, and published changes that say whom they are about. */
const SUBJECT_FIELDS = new Set([...USER_FIELDS, 'platformContactId', 'MessageGroupId', 'key']);

/** The fields that contain another document, which may be unreadable. */
const DOCUMENT_FIELDS = new Set(['', 'rawBody', 'body', 'data', 'Message', 'MessageBody', 'event']);

const receivedRequest = z.object({ receivedAt: z.string(), rawBody: z.unknown() });

/**
 * Creates the function that decides whether a dead letter is about a contact: it names the contact as its subject, or
 * it contains the contact's id and is not JSON or names nobody. A mention in another user's message is not enough, and a
 * webhook request that was received after `until` is about a new contact.
 */
export const createIsAbout = (
  { key }: Pick<ContactRef, 'key'>,
  until: Instant,
): ((deadLetter: DeadLetterText) => boolean) => {
  const search = createTraceSearch({ ids: [key] });
  const group = messageGroup(key);
  const isSubject = (address: string): boolean => contactKey(address) === key || address === group;
  return ({ body, groupId }) => {
    if (groupId !== undefined && isSubject(groupId)) return true;
    const received = parseBufferedRequest(body) ?? z.safeParse(receivedRequest, z.parseJson(body)).data;
    if (received !== undefined && received.receivedAt > until) return false;
    let namesSubject = false;
    for (const { field = '', text } of nestedTexts(body)) {
      // The value of an attribute in a change to the table.
      const isChangedContact = field === 'S' && text.startsWith('CONTACT#');
      if (isChangedContact && text.endsWith(`#${key}`)) return true;
      if (SUBJECT_FIELDS.has(field) && isSubject(text)) return true;
      namesSubject ||= field === 'customerId' && namesUser(text) && text !== key;
      namesSubject ||= isChangedContact || (SUBJECT_FIELDS.has(field) && namesUser(text));
      const isUnreadable = DOCUMENT_FIELDS.has(field) && z.parseJson(text) === undefined;
      if (isUnreadable && /[{[<]/.test(text) && search.inText(text).length > 0) return true;
    }
    return !namesSubject && search.inText(body).length > 0;
  };
};
