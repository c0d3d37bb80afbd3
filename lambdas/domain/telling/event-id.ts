import { createHash } from 'node:crypto';
import type { ItemChange } from './item-change.ts';
import type { ToldEventName } from './told-event-names.ts';

/**
 * An event's id, derived from what is told and nothing else: the stream's repetition of a change, and a function that
 * tells it twice, give the same one.
 *
 * @param occurrence what sets this event apart from others of its name about the same item; none for what happens once
 */
export const eventId = (name: ToldEventName, { key }: Pick<ItemChange, 'key'>, occurrence = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([name, key, occurrence]))
    .digest('base64url')
    .slice(0, 32);
