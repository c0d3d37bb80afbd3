import type { BusEvent } from '../domain/events/event-details.ts';
import type { ItemChange } from '../domain/events/item-change.ts';
import { endedTurnIn, turnEvents } from '../domain/events/turn-events.ts';
import type { TurnRepository } from '../ports.ts';

/** Returns the events of a turn that a change ended, with its messages, which it reads; none for any other change. */
export const readTurnEvents = async (
  turns: Pick<TurnRepository, 'readMessages'>,
  change: ItemChange,
): Promise<readonly BusEvent[]> => {
  const ended = endedTurnIn(change);
  return ended === undefined ? [] : turnEvents(change, ended, await turns.readMessages(ended));
};
