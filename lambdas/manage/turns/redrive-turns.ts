import type { BusEvent } from '../../domain/events/event-details.ts';
import type { ItemChange } from '../../domain/events/item-change.ts';
import { openTurnIn } from '../../domain/turns/turn-events.ts';
import type { TurnRepository } from '../../ports.ts';
import { readTurnEvents } from '../../runtime/turns/read-turn-events.ts';

/** What a redrive needs to publish turns. A stage without turns can still have dead letters from when they were on. */
export interface RedriveTurns extends Pick<TurnRepository, 'end'> {
  /**
   * Returns the events of a change of a turn. Ends an open turn that could not be queued: by now, the user has been silent
   * long enough.
   */
  eventsOf(change: ItemChange): Promise<readonly BusEvent[]>;
}

export const createRedriveTurns = (turns: TurnRepository): RedriveTurns => ({
  end: turns.end,

  async eventsOf(change) {
    const open = openTurnIn(change);
    if (open !== undefined) await turns.end(open);
    return readTurnEvents(turns, change);
  },
});
