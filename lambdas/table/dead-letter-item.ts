import { KEPT_QUEUES } from '../domain/dead-letter.ts';
import * as z from '../domain/schema.ts';
import { type Item, optionalString, parseItem } from './item.ts';

const counts = { parts: z.number(), contacts: z.number() };

const deadLetterItem = z.object({
  queue: z.enum(KEPT_QUEUES),
  reason: z.string(),
  groupId: optionalString,
  traceparent: optionalString,
  since: z.string(),
  keptAt: z.string(),
  keepId: z.string(),
  ...counts,
});

/** Names a contact of a dead letter, with the time and the ID of the latest call of `keep`. */
const contactItem = z.object({ ...counts, keptAt: z.string(), keepId: z.string() });

const partItem = z.object({ data: z.instanceof(Uint8Array) });

export type DeadLetterContact = z.output<typeof contactItem>;

/** @throws DamagedItemError if the item does not have the form of a dead letter. */
export const parseDeadLetter = (item: Item) => parseItem(deadLetterItem, item);

/** @throws DamagedItemError if the item does not name a contact of a dead letter. */
export const parseDeadLetterContact = (item: Item): DeadLetterContact => parseItem(contactItem, item);

/**
 * Returns a part of a dead letter's body.
 *
 * @throws DamagedItemError if the item is no part
 */
export const parsePart = (item: unknown): Uint8Array => parseItem(partItem, item).data;
