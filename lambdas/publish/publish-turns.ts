import type { Seconds } from '../domain/duration.ts';
import type { BusEvent } from '../domain/events/event-details.ts';
import type { ItemChange } from '../domain/events/item-change.ts';
import { openTurnIn } from '../domain/events/turn-events.ts';
import { isFull } from '../domain/turn.ts';
import type { TurnQueue, TurnRepository } from '../ports.ts';
import { readTurnEvents } from '../runtime/read-turn-events.ts';

export interface PublishTurnsOptions {
  readonly queue: TurnQueue;
  readonly turns: Pick<TurnRepository, 'readMessages'>;
  /** How long a user must be silent before a turn ends. */
  readonly silenceSeconds: Seconds;
}

/**
 * Handles a change of a turn. Returns the events to publish. A failed call can be repeated, unless it fails with a
 * `ParleyError`.
 */
export type PublishTurn = (change: ItemChange) => Promise<readonly BusEvent[]>;

/**
 * Creates the function that handles a change of a turn. Each message of an open turn puts the turn on the turn queue,
 * delayed by the silence. If no message is added meanwhile, the turn ends, and its event is published.
 */
export const createPublishTurn =
  ({ queue, turns, silenceSeconds }: PublishTurnsOptions): PublishTurn =>
  async (change) => {
    const open = openTurnIn(change);
    if (open === undefined) return readTurnEvents(turns, change);
    await queue.put(open, isFull(open) ? 0 : silenceSeconds);
    return [];
  };
