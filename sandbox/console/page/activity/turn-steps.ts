import { counted } from '../components/counted.ts';
import { field, type Trace } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import { itemBodies, type TimelineStep } from './timeline-step.ts';

/** An event on the bus. */
export type BusEvent = NonNullable<Trace['busEvents']>[number];

/** Returns the step of a user's message that was added to a turn; none if the stage has no turns. */
export const turnSteps = ({ trace }: Timeline, messageId: string): readonly TimelineStep[] => {
  const ended = trace?.busEvents?.find(isTurnEnded);
  const added = { source: 'table', title: 'Added to a turn', tone: 'success' } as const;
  if (ended !== undefined) {
    const ids = messageIdsIn(ended);
    return [{ ...added, detail: `The message is number ${ids.indexOf(messageId) + 1} of ${ids.length}.`, bodies: [] }];
  }
  const { messageIds: ids = [] } = trace?.turn ?? {};
  // A later message may have started the user's next turn, before the event of this one has arrived.
  if (!ids.includes(messageId)) return [];
  const detail = `The turn has ${counted(ids.length, 'message')} so far. It ends when the user has been silent.`;
  return [{ ...added, detail, bodies: itemBodies(trace?.items.turn) }];
};

/** Describes an event on the bus that ended a turn. */
export const describeTurnEnded = ({ type, detail }: BusEvent): Pick<TimelineStep, 'title' | 'detail'> => ({
  title: 'Turn ended',
  detail: `The user was silent, so ${type} was published with ${counted(arrayIn(detail, 'messages').length, 'message')}.`,
});

export const isTurnEnded = ({ type }: BusEvent): boolean => type === 'TurnEnded';

const messageIdsIn = ({ detail }: BusEvent): readonly unknown[] =>
  arrayIn(detail, 'messages').map((message) => field(message, 'messageId'));

const arrayIn = (value: unknown, name: string): readonly unknown[] => {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
};
