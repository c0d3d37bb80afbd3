import { readInstant } from '../instant.ts';
import { eventId } from './event-id.ts';
import { type ItemChange, textOf } from './item-change.ts';
import type { ToldEvent } from './told-details.ts';

/** What a write to an account's item tells: that sending is held, or goes on. */
export const accountEvents = (change: ItemChange): readonly ToldEvent[] => {
  const { before, after } = change;
  const isHeld = after.state === 'held';
  if ((before.state === 'held') === isHeld) return [];
  const since = textOf(after, isHeld ? 'heldAt' : 'resumedAt');
  const at = readInstant(since) ?? change.writtenAt;
  const account = { platform: textOf(after, 'platform') ?? '', channel: textOf(after, 'channel') ?? '' };
  // It goes to and fro: its time tells one hold from the next.
  if (!isHeld) {
    return [{ name: 'AccountResumed', detail: { id: eventId('AccountResumed', change, since), account, at } }];
  }
  const id = eventId('AccountHeld', change, since);
  return [
    { name: 'AccountHeld', detail: { id, account, at, reason: textOf(after, 'reason'), why: textOf(after, 'why') } },
  ];
};
