import type { BusEvent } from '../../domain/events/event-details.ts';
import type { ItemChange } from '../../domain/events/item-change.ts';
import { endedTurnIn, turnEvents } from '../../domain/turns/turn-events.ts';
import { EMPTY_SUMMARY, summarizeMessage } from '../../domain/turns/turn-summary.ts';
import type { TurnRepository } from '../../ports.ts';

/** Returns the events of a turn that a change ended, with its messages, which it reads; none for any other change. */
export const readTurnEvents = async (
  turns: Pick<TurnRepository, 'readMessages'>,
  change: ItemChange,
): Promise<readonly BusEvent[]> => {
  const ended = endedTurnIn(change);
  if (ended === undefined) return [];
  let summary = EMPTY_SUMMARY;
  for await (const message of turns.readMessages(ended)) summary = summarizeMessage(summary, message);
  return turnEvents(change, ended, summary);
};
