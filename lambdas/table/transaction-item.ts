import * as z from '../domain/schema.ts';
import { optionalString, parseItem } from './item.ts';

/** What links the chat service's id of a call to its request and its message, in whatever order they become known. */
const transactionItem = z.object({
  requestId: optionalString,
  messageId: optionalString,
  messageAt: optionalString,
});

/** @throws DamagedItemError if the item does not have the form of a link. */
export const parseTransaction = (item: unknown) => parseItem(transactionItem, item);
