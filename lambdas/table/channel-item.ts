import * as z from '../domain/schema.ts';
import { type Item, optionalString, parseItem } from './item.ts';

const channelItem = z.object({
  platform: z.string(),
  line: z.string(),
  firstSeenAt: z.string(),
  echoedAt: optionalString,
  silentSince: optionalString,
  watchedAt: optionalString,
  watchedSince: optionalString,
});

const dayItem = z.object({ slots: z.set(z.string()) });

/** In a set of strings, two digits of this base take less space than three decimal ones, so that a day fits in 1 KB. */
const SLOT_BASE = 36;

/** @throws DamagedItemError if the item does not have the form of a channel. */
export const parseChannel = (item: Item) => parseItem(channelItem, item);

/**
 * Returns the slots of a channel's day.
 *
 * @throws DamagedItemError if the item does not have the form of a day
 */
export const parseSlots = (item: Item): ReadonlySet<number> =>
  new Set([...parseItem(dayItem, item).slots].map((slot) => Number.parseInt(slot, SLOT_BASE)));

/** Returns how a slot is written in the set of its day. */
export const slotMember = (slot: number): string => slot.toString(SLOT_BASE);
