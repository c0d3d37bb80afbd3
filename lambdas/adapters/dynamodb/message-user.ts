import { ANY_CHANNEL, type DataSubject, isSameUser } from '../../domain/contact.ts';
import { customersOf } from '../../domain/customer.ts';
import { readServiceEvent } from '../../domain/webhook-formats/formats.ts';
import type { ServiceEvent } from '../../domain/webhook-formats/webhook-format.ts';
import { parseCustomerLinks } from '../../table/contact-item.ts';
import type { Item } from '../../table/item.ts';
import { contactKeyOf, parseSubjectName, subjectName } from '../../table/keys.ts';
import { readByWriting } from './read-by-writing.ts';
import type { ConversationTable } from './table.ts';

/** Whose message it is, as an event or a send says. */
export interface NamedUser {
  readonly subject?: DataSubject | undefined;
  /** The chat service's ID of the user. */
  readonly customerId?: string | undefined;
  /** The request that Parley sent as the message. */
  readonly requestId?: string | undefined;
}

/**
 * Whether a message's item belongs to the user that an event names, even by another address: a service can name a user
 * first by an ID of the platform and then by a phone number.
 */
export const isOfUser = async (
  table: Pick<ConversationTable, 'update'>,
  item: Item,
  user: NamedUser,
): Promise<boolean> => {
  const says = compareUsers(item, user);
  if (says === 'same') return true;
  const { storedIds, namedIds } = customersNamedBy(item, user);
  // What an event names takes precedence: its address may have had another user until now.
  const [stored, named] = await Promise.all([
    storedIds.length > 0 ? storedIds : linkedIds(table, parseSubjectName(item.contact)),
    namedIds.length > 0 ? namedIds : linkedIds(table, user.subject),
  ]);
  const isUnknown = stored.length === 0 || named.length === 0;
  return (says === 'unknown' && isUnknown) || overlap(stored, named);
};

/** Whether an echo can be of the message that has its ID, by what their events say. */
export const canBeEchoOf = (message: Item, echo: Item): boolean =>
  compareUsers(message, {
    subject: parseSubjectName(echo.contact),
    customerId: eventsIn(echo).find(({ customerId }) => customerId !== undefined)?.customerId,
  }) !== 'different';

/** Compares the users that an item and an event name. It is unknown whether a customer has an address without any. */
const compareUsers = (item: Item, user: NamedUser): 'same' | 'different' | 'unknown' => {
  const { subject, requestId } = user;
  const stored = parseSubjectName(item.contact);
  if (stored === undefined || subject === undefined || isSameSubject(stored, subject)) return 'same';
  const requestIds = [item.requestId, ...eventsIn(item).map((event) => event.requestId)];
  if (requestId !== undefined && requestIds.includes(requestId)) return 'same';
  if (stored.platform !== subject.platform) return 'different';
  const { storedIds, namedIds } = customersNamedBy(item, user);
  if (overlap(storedIds, namedIds)) return 'same';
  const isOfCustomer = 'customerId' in stored || 'customerId' in subject;
  return isOfCustomer && (storedIds.length === 0 || namedIds.length === 0) ? 'unknown' : 'different';
};

/** Whether two names are equal. An event that names no business number can be of any of them. */
const isSameSubject = (one: DataSubject, other: DataSubject): boolean => {
  if (subjectName(one) === subjectName(other)) return true;
  if (!('key' in one && 'key' in other)) return false;
  return isSameUser(one, other) && [one.channel, other.channel].includes(ANY_CHANNEL);
};

const customersNamedBy = (item: Item, { subject, customerId }: NamedUser) => ({
  storedIds: [
    ...eventsIn(item).flatMap((event) => event.customerId ?? []),
    ...customerIdOf(parseSubjectName(item.contact)),
  ],
  namedIds: [...(customerId === undefined ? [] : [customerId]), ...customerIdOf(subject)],
});

const eventsIn = ({ body, statusBodies }: Item): readonly ServiceEvent[] =>
  [body, ...(statusBodies instanceof Set ? statusBodies : [])].flatMap((each) =>
    typeof each === 'string' ? (readServiceEvent(each) ?? []) : [],
  );

const customerIdOf = (subject: DataSubject | undefined): readonly string[] =>
  subject !== undefined && 'customerId' in subject ? [subject.customerId] : [];

/** Returns the customers that the user of an address is. */
const linkedIds = async (
  table: Pick<ConversationTable, 'update'>,
  subject: DataSubject | undefined,
): Promise<readonly string[]> => {
  if (subject === undefined || 'customerId' in subject) return [];
  const item = await readByWriting(table, contactKeyOf(subject));
  return item === undefined ? [] : customersOf(parseCustomerLinks(item));
};

const overlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((each) => others.includes(each));
