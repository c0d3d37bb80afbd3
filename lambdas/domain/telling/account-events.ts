import { eventId } from './event-id.ts';
import { type ItemChange, textOf } from './item-change.ts';
import type { ToldEvent } from './told-details.ts';

/** What a write to an account's item tells: that sending is held, or goes on. */
export const accountEvents = (change: ItemChange): readonly ToldEvent[] => {
  const { id: account, before, after, writtenAt: at, sequenceNumber } = change;
  const isHeld = after.state === 'held';
  if ((before.state === 'held') === isHeld) return [];
  const name = isHeld ? 'AccountHeld' : 'AccountResumed';
  // It goes to and fro: only the stream's own number tells one time from the next.
  return [{ name, detail: { id: eventId(name, change, sequenceNumber), account, at, why: textOf(after, 'why') } }];
};
