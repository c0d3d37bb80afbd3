import { isOfEarlierUser } from '../../domain/customer.ts';
import { readCustomerId, readEventField } from '../../domain/event-content.ts';
import type { UserPart } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { idOf, subjectName } from '../../table/keys.ts';

/**
 * Returns the customers that an item names: the one whom its request is for, or else those of its event, or else those
 * of its statuses. A status can name a later user of the address.
 */
export const customersNamedIn = ({ sk, customerId, body, failedBody, statusBodies }: Item): readonly string[] => {
  if (typeof customerId === 'string') return [customerId];
  const request = sk === 'SEND' && typeof body === 'string' ? readEventField(body, 'customerId') : undefined;
  if (request !== undefined) return [request];
  const named = customersIn([body]);
  return named.length > 0 ? named : customersIn([failedBody, ...(statusBodies instanceof Set ? statusBodies : [])]);
};

/** Returns the customers that all events of an item name. */
export const customersInEvents = ({ body, failedBody, statusBodies }: Item): readonly string[] =>
  customersIn([body, failedBody, ...(statusBodies instanceof Set ? statusBodies : [])]);

const customersIn = (bodies: readonly unknown[]): readonly string[] =>
  bodies.flatMap((body) => (typeof body === 'string' ? (readCustomerId(body) ?? []) : []));

/** Whether an item that is listed under a user's address is that of the user, and not of an earlier one. */
export const isOfPart = (item: Item, parts: readonly UserPart[]): boolean => {
  const earlier = parts.find(({ subject }) => item.contact === subjectName(subject))?.earlier;
  if (earlier === undefined) return true;
  return !isOfEarlierUser({ customerIds: customersNamedIn(item), createdAt: idOf(item.contactSort) }, earlier);
};
