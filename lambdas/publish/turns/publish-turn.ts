import { isFull } from '../../domain/turns/turn.ts';
import { openTurnIn } from '../../domain/turns/turn-events.ts';
import type { TurnQueue, TurnRepository } from '../../ports.ts';
import { readTurnEvents } from '../../runtime/turns/read-turn-events.ts';
import type { HandleChange } from '../publish-changes.ts';

export interface PublishTurnsOptions {
  readonly queue: TurnQueue;
  readonly turns: Pick<TurnRepository, 'readMessages'>;
  /** How long a user must be silent before a turn ends. */
  readonly silenceSeconds: number;
}

/**
 * Creates the function that handles a change of a turn. Each message of an open turn puts the turn on the turn queue,
 * delayed by the silence. If no message is added meanwhile, the turn ends, and its event is published.
 */
export const createPublishTurn =
  ({ queue, turns, silenceSeconds }: PublishTurnsOptions): HandleChange =>
  async (change) => {
    const open = openTurnIn(change);
    if (open === undefined) return readTurnEvents(turns, change);
    await queue.put(open, isFull(open) ? 0 : silenceSeconds);
    return [];
  };
