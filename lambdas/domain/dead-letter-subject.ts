import { parseBufferedRequest } from './buffered-request.ts';
import { type ContactRef, contactKey, messageGroup } from './contact.ts';
import { type QueuedErasure, queuedErasure } from './erasure.ts';
import type { Instant } from './instant.ts';
import { nestedTexts } from './nested-text.ts';
import * as z from './schema.ts';
import { createTraceSearch } from './traces.ts';
import { CUSTOMER_FIELDS, namesUser, USER_FIELDS } from './webhook-formats/formats.ts';

/** The body of a dead letter, and its message group if its queue is FIFO. */
export interface DeadLetterText {
  readonly body: string;
  readonly groupId?: string;
}

/** The user whom an erasure erases. */
export interface ErasedUser {
  /** @default no address of the user is known */
  readonly contact?: Pick<ContactRef, 'key'> | undefined;
  readonly customerIds: readonly string[];
  /** The keys of the addresses that an operator separated from these customers. @default none */
  readonly separatedKeys?: readonly string[] | undefined;
}

/**
 * Creates the function that decides whether a dead letter is about a user: it names the user as its subject, or it
 * contains the user's ID and is not JSON or names nobody. A mention in another user's message is not enough, and a
 * webhook request that was received after `until` is about a new contact.
 */
export const createIsAbout = (
  { contact, customerIds, separatedKeys = [] }: ErasedUser,
  until: Instant,
): ((deadLetter: DeadLetterText) => boolean) => {
  const searches = [
    ...(contact === undefined ? [] : [searchContact(contact.key)]),
    ...customerIds.map((customerId) => searchCustomer(customerId, separatedKeys)),
  ];
  const groups = contact === undefined ? [] : [messageGroup(contact.key)];
  return ({ body, groupId = '' }) => {
    if (groupId !== '' && (groups.includes(groupId) || contactKey(groupId) === contact?.key)) return true;
    const received = parseBufferedRequest(body) ?? z.safeParse(receivedRequest, z.parseJson(body)).data;
    if (received !== undefined && received.receivedAt > until) return false;
    const named = namesIn(body, groupId);
    return searches.some((isAbout) => isAbout(named));
  };
};

const receivedRequest = z.object({ receivedAt: z.string(), rawBody: z.unknown() });

type Search = (named: Named) => boolean;

const searchContact = (key: string): Search => {
  const search = createTraceSearch({ ids: [key] });
  const isThis = isAddressOf(key);
  return ({ addresses, groups, customerIds, contacts, unreadable, body }) =>
    [...addresses, ...groups].some(isThis) ||
    contacts.some((name) => name.endsWith(`#${key}`)) ||
    unreadable.some((text) => search.inText(text).length > 0) ||
    ([addresses, groups, customerIds, contacts].every(({ length }) => length === 0) && search.inText(body).length > 0);
};

const searchCustomer = (customerId: string, separatedKeys: readonly string[]): Search => {
  const isMentioned = createMention(customerId);
  const separated = separatedKeys.map(isAddressOf);
  const group = messageGroup(customerId);
  return ({ addresses, groups, groupId, contacts, customerIds, customers, unreadable, body }) => {
    if ([...addresses, ...groups].some((address) => separated.some((isThis) => isThis(address)))) return false;
    const namesNobody = [addresses, groups, contacts, customerIds, customers].every(({ length }) => length === 0);
    return (
      customerIds.includes(customerId) ||
      customers.some((name) => name.endsWith(`#${customerId}`)) ||
      // An address can be the same as an ID.
      (addresses.length === 0 && [groupId, ...groups].includes(group)) ||
      unreadable.some(isMentioned) ||
      (namesNobody && isMentioned(body))
    );
  };
};

const isAddressOf = (key: string): ((address: string) => boolean) => {
  const group = messageGroup(key);
  return (address) => contactKey(address) === key || address === group;
};

/** A shorter ID, such as a three-digit number, also appears in texts that have nothing to do with it. */
const MIN_MENTIONED = 6;

const createMention = (customerId: string): ((text: string) => boolean) => {
  if (customerId.length < MIN_MENTIONED) return () => false;
  const mention = new RegExp(`(?<![\\w-])${customerId.replaceAll(/\W/g, '\\$&')}(?![\\w-])`);
  return (text) => {
    for (const nested of nestedTexts(text)) if (mention.test(nested.text)) return true;
    return false;
  };
};

/** Whom a dead letter names. */
interface Named {
  readonly body: string;
  /** The message group of the dead letter itself, or an empty string. */
  readonly groupId: string;
  /** The addresses in fields that say whom something is about. */
  readonly addresses: readonly string[];
  /** The message groups that it names, each of an address or a customer. */
  readonly groups: readonly string[];
  readonly customerIds: readonly string[];
  /** The names of contacts and customers in changes to the table. */
  readonly contacts: readonly string[];
  readonly customers: readonly string[];
  /** The documents inside it that are not JSON, although they look like it. */
  readonly unreadable: readonly string[];
}

/** The fields of events, requests, schedules, and published changes that say whom they are about. */
const SUBJECT_FIELDS = new Set([...USER_FIELDS, 'platformContactId', 'key']);

/** The fields that contain another document, which may be unreadable. */
const DOCUMENT_FIELDS = new Set(['', 'rawBody', 'body', 'data', 'Message', 'MessageBody', 'event']);

const namesIn = (body: string, groupId: string): Named => {
  const erasure = z.safeParse(queuedErasure, z.parseJson(body)).data;
  if (erasure !== undefined) return namesOfErasure(erasure, body);
  const [addresses, groups, customerIds]: [string[], string[], string[]] = [[], [], []];
  const [contacts, customers, unreadable]: [string[], string[], string[]] = [[], [], []];
  for (const { field = '', text } of nestedTexts(body)) {
    // The value of an attribute in a change to the table.
    if (field === 'S' && text.startsWith('CONTACT#')) contacts.push(text);
    if (field === 'S' && text.startsWith('CUSTOMER#')) customers.push(text);
    if (SUBJECT_FIELDS.has(field) && namesUser(text)) addresses.push(text);
    if (field === 'MessageGroupId' && text !== '') groups.push(text);
    if (CUSTOMER_FIELDS.has(field) && text !== '') customerIds.push(text);
    const isUnreadable = DOCUMENT_FIELDS.has(field) && z.parseJson(text) === undefined;
    if (isUnreadable && /[{[<]/.test(text)) unreadable.push(text);
  }
  return { body, groupId, addresses, groups, customerIds, contacts, customers, unreadable };
};

/** An erasure also names customers whose data it leaves. */
const namesOfErasure = ({ contact, customers }: QueuedErasure, body: string): Named => ({
  body,
  groupId: '',
  addresses: contact === undefined ? [] : [contact.key],
  groups: [],
  customerIds: contact === undefined ? customers.map(({ customerId }) => customerId) : [],
  contacts: [],
  customers: [],
  unreadable: [],
});
