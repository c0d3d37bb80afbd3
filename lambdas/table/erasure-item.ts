import type { ErasureRecord } from '../domain/erasure.ts';
import * as z from '../domain/schema.ts';
import { type Item, parseItem } from './item.ts';

const erasureItem = z.object({
  state: z.enum(['running', 'done']),
  requestedAt: z.string(),
  finishedAt: z.optional(z.string()),
  messages: z.number(),
  sends: z.number(),
  deadLetters: z.number(),
  /** Its passes. */
  turns: z.number(),
});

/** @throws DamagedItemError if the item does not have the form of an erasure. */
export const parseErasure = (erasureId: string, item: Item): ErasureRecord => {
  const { turns: passes, ...record } = parseItem(erasureItem, item);
  return { erasureId, ...record, passes };
};
