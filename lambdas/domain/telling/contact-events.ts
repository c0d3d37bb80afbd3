import { readInstant } from '../instant.ts';
import { eventId } from './event-id.ts';
import { type ItemChange, textOf } from './item-change.ts';
import type { ToldEvent } from './told-details.ts';

/** What a write to a contact's item tells: a new opt-in or opt-out, at its own time. */
export const contactEvents = (change: ItemChange): readonly ToldEvent[] => {
  const { contact, before, after } = change;
  if (contact === undefined) return [];
  const told: ToldEvent[] = [];
  const newTime = (attribute: string) =>
    before[attribute] === after[attribute] ? undefined : readInstant(after[attribute]);
  const inAt = newTime('optInAt');
  if (inAt !== undefined) {
    const id = eventId('ContactOptedIn', change, inAt);
    told.push({ name: 'ContactOptedIn', detail: { id, contact, at: inAt, source: textOf(after, 'optInSource') } });
  }
  const outAt = newTime('optOutAt');
  if (outAt !== undefined) {
    const id = eventId('ContactOptedOut', change, outAt);
    told.push({ name: 'ContactOptedOut', detail: { id, contact, at: outAt, source: textOf(after, 'optOutSource') } });
  }
  return told;
};
