import { type ContactRef, contactKey } from './contact.ts';
import { nestedTexts } from './nested-text.ts';
import * as z from './schema.ts';
import { createTraceSearch } from './traces.ts';

/** The body of a dead letter, and its message group if its queue is FIFO. */
export interface DeadLetterText {
  readonly body: string;
  readonly groupId?: string;
}

/** The fields of events, requests, schedules, and published changes that say whom they are about. */
const SUBJECT_FIELDS = new Set(['FROM', 'TO', 'platformContactId', 'MessageGroupId', 'key']);

/** The fields that contain another document, which may be unreadable. */
const DOCUMENT_FIELDS = new Set(['', 'rawBody', 'body', 'data', 'Message', 'MessageBody', 'event']);

/**
 * Creates the function that decides whether a dead letter is about a contact: it names the contact as its subject, or
 * it is not JSON and contains the contact's id. A mention in another user's message is not enough.
 */
export const createIsAbout = ({ key }: Pick<ContactRef, 'key'>): ((deadLetter: DeadLetterText) => boolean) => {
  const search = createTraceSearch({ ids: [key] });
  const isSubject = (address: string): boolean => contactKey(address) === key;
  return ({ body, groupId }) => {
    if (groupId !== undefined && isSubject(groupId)) return true;
    for (const { field = '', text } of nestedTexts(body)) {
      if (SUBJECT_FIELDS.has(field) && isSubject(text)) return true;
      // The value of an attribute in a change to the table.
      if (field === 'S' && text.startsWith('CONTACT#') && text.endsWith(`#${key}`)) return true;
      const isUnreadable = DOCUMENT_FIELDS.has(field) && z.parseJson(text) === undefined;
      if (isUnreadable && /[{[<]/.test(text) && search.inText(text).length > 0) return true;
    }
    return false;
  };
};
