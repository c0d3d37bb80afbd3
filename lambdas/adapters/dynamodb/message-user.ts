import { ANY_CHANNEL, type DataSubject, isPhoneContact, isSameUser } from '../../domain/contact.ts';
import { type CustomerLinks, customersFollowed, isOneUser } from '../../domain/customer.ts';
import { readServiceEvent } from '../../domain/webhook-formats/formats.ts';
import type { ServiceEvent } from '../../domain/webhook-formats/webhook-format.ts';
import { parseCustomerLinks } from '../../table/contact-item.ts';
import { parseCustomer } from '../../table/customer-item.ts';
import type { Item } from '../../table/item.ts';
import { contactKeyOf, customerKeyOf, type ItemKey, parseSubjectName, subjectName } from '../../table/keys.ts';

/** Whose message it is, as an event or a send says. */
export interface NamedUser {
  readonly subject?: DataSubject | undefined;
  /** The chat service's ID of the user. */
  readonly customerId?: string | undefined;
  /** The request that Parley sent as the message. */
  readonly requestId?: string | undefined;
  /** What names the user, unless it is the message itself. */
  readonly kind?: 'status' | 'answer' | 'echo' | undefined;
}

/** Reads an item, in a way that the function is allowed to. */
export type ReadItem = (key: ItemKey) => Promise<Item | undefined>;

/**
 * Whether a message's item can belong to the user that an event names, even by another address: a service can name a
 * user first by an ID of the platform and then by a phone number. Two addresses are one user's if they have the same
 * customer. If one has only a customer ID, and the other only an address, they can be. Reads other items only if the
 * addresses differ.
 */
export const isOfUser = async (read: ReadItem, item: Item, user: NamedUser): Promise<boolean> => {
  const { subject, requestId } = user;
  const stored = parseSubjectName(item.contact);
  if (stored === undefined || subject === undefined || isSameSubject(stored, subject)) return true;
  if (requestId !== undefined && requestIdsOf(item).includes(requestId)) return true;
  if (stored.platform !== subject.platform) return false;
  const { storedIds, namedIds } = await identify(read, item, { ...user, subject, stored });
  if (storedIds.some((id) => namedIds.includes(id))) return true;
  const isUnknown = storedIds.length === 0 || namedIds.length === 0;
  return isUnknown && (!('key' in stored && 'key' in subject) || canHideNumber(item, user));
};

/** Whether an echo can belong to the message with the same ID. Like a status, it may name a hidden number by an ID. */
export const canBeEchoOf = (read: ReadItem, message: Item, echo: Item): Promise<boolean> =>
  isOfUser(read, message, {
    subject: parseSubjectName(echo.contact),
    customerId: eventsIn(echo).find(({ customerId }) => customerId !== undefined)?.customerId,
    kind: 'echo',
  });

/**
 * Whether one address can be the ID that a platform shows in place of the other, a phone number. Such a platform shows
 * the ID in the statuses of messages to the number, even if the user never wrote. A message that a user wrote never
 * counts as another user's because of this.
 */
const canHideNumber = (item: Item, { subject, requestId, kind }: NamedUser): boolean => {
  const isWritten = kind === undefined || (item.direction !== undefined && item.direction !== 'outbound');
  const isOfOtherRequest = requestId !== undefined && item.requestId !== undefined;
  return !isWritten && !isOfOtherRequest && isNumber(parseSubjectName(item.contact)) !== isNumber(subject);
};

const isNumber = (subject: DataSubject | undefined): boolean =>
  subject !== undefined && 'key' in subject && isPhoneContact(subject);

/** Whether two names are equal. An event that names no business number can be of any of them. */
const isSameSubject = (one: DataSubject, other: DataSubject): boolean => {
  if (subjectName(one) === subjectName(other)) return true;
  if (!('key' in one && 'key' in other)) return false;
  return isSameUser(one, other) && [one.channel, other.channel].includes(ANY_CHANNEL);
};

const requestIdsOf = (item: Item): readonly unknown[] => [
  item.requestId,
  ...eventsIn(item).map(({ requestId }) => requestId),
];

const eventsIn = ({ body, statusBodies }: Item): readonly ServiceEvent[] =>
  [body, ...(statusBodies instanceof Set ? statusBodies : [])].flatMap((each) =>
    typeof each === 'string' ? (readServiceEvent(each) ?? []) : [],
  );

/**
 * Returns the customers of an item, and those of an event. What they name takes precedence over their addresses, which
 * may have had other users until now. An ID that many users have, or that an operator separated from one of the
 * addresses, does not show that both are one user's.
 */
const identify = async (
  read: ReadItem,
  item: Item,
  { stored, subject, customerId }: NamedUser & { readonly stored: DataSubject; readonly subject: DataSubject },
) => {
  const [storedLinks, namedLinks] = await Promise.all([readLinks(read, stored), readLinks(read, subject)]);
  const eventIds = eventsIn(item).flatMap((event) => event.customerId ?? []);
  const storedIds = customersNamedBy(stored, eventIds, storedLinks);
  const namedIds = customersNamedBy(subject, customerId === undefined ? [] : [customerId], namedLinks);
  const separated = [storedLinks, namedLinks].flatMap(({ separatedCustomerIds = [] }) => separatedCustomerIds);
  const unchecked = [...new Set([...storedIds, ...namedIds])].filter((id) => !separated.includes(id));
  const checked = await Promise.all(unchecked.map((id) => isOfOneUser(read, [stored, subject], id)));
  const identifying = unchecked.filter((_id, index) => checked[index]);
  const identifies = (id: string) => identifying.includes(id);
  return { storedIds: storedIds.filter(identifies), namedIds: namedIds.filter(identifies) };
};

const customersNamedBy = (
  subject: DataSubject,
  eventIds: readonly string[],
  links: CustomerLinks,
): readonly string[] => {
  const named = 'customerId' in subject ? [...eventIds, subject.customerId] : eventIds;
  return named.length > 0 ? named : customersFollowed(links);
};

const readLinks = async (read: ReadItem, subject: DataSubject): Promise<CustomerLinks> =>
  'customerId' in subject ? {} : parseCustomerLinks((await read(contactKeyOf(subject))) ?? {});

/** Whether an ID is that of one user at the business numbers of these addresses. */
const isOfOneUser = async (read: ReadItem, subjects: readonly DataSubject[], customerId: string): Promise<boolean> => {
  const channels = new Set(subjects.map((each) => ('channel' in each ? each.channel : ANY_CHANNEL)));
  const [{ platform } = { platform: '' }] = subjects;
  const items = await Promise.all(
    [...channels].map((channel) => read(customerKeyOf({ platform, channel, customerId }))),
  );
  return items.every((item) => isOneUser(parseCustomer(item)));
};
