import { type ErasureRecord, erasureRecord } from '../domain/erasure.ts';
import * as z from '../domain/schema.ts';
import { type Item, parseItem } from './item.ts';

// The item says `turns` for what the record and the API call passes, and its id is in its key.
const { erasureId: _, passes: turns, ...shared } = erasureRecord.shape;
const erasureItem = z.object({ ...shared, turns });

/** @throws DamagedItemError if the item does not have the form of an erasure. */
export const parseErasure = (erasureId: string, item: Item): ErasureRecord => {
  const { turns: passes, ...record } = parseItem(erasureItem, item);
  return { erasureId, ...record, passes };
};
