import type { DeadLetterQueueName } from '../domain/dead-letter.ts';
import { summarizeError } from '../domain/describe-error.ts';
import type { ItemChange } from '../domain/events/item-change.ts';
import { itemEvents } from '../domain/events/item-events.ts';
import { type SerializedEvent, serializeEvent } from '../domain/events/serialize-event.ts';
import { type DeadEvent, parseDeadEvent, parsePublishFailure } from '../domain/publish-failure.ts';
import type { ChangeReader, DeadLetterSource, EventBus, PublishResult } from '../ports.ts';
import { CHANGE_CONCURRENCY, mapConcurrently } from '../runtime/concurrency.ts';
import type { RedriveTurns } from './turns/redrive-turns.ts';

/** The operations of a dead-letter queue that a redrive needs. */
export type RedrivenSource = Pick<DeadLetterSource<DeadLetterQueueName>, 'receive' | 'remove' | 'release'>;

/** What a redrive of events needs. */
export interface RepublishPorts {
  readonly bus: EventBus;
  readonly changes: ChangeReader;
  readonly turns: RedriveTurns;
  /** Whether events include the content of messages. */
  readonly content: boolean;
  /** The changes that were not published as events. */
  readonly publishing: RedrivenSource;
  /** The events that a target did not accept. Undefined if there are no targets. */
  readonly targets: RedrivenSource | undefined;
}

/** The result for one dead letter. */
export type Republished = { readonly kind: 'done' } | { readonly kind: 'left'; readonly why: string };

/**
 * Creates the function that publishes the events of dead letters again. Their ids are derived from what they report, so
 * consumers drop those that they have already received. It publishes an event once, even if several targets did not
 * accept it.
 */
export const createRepublish = ({ bus, changes, turns, content }: Omit<RepublishPorts, 'publishing' | 'targets'>) => {
  /** The results of the events published so far, by event ID. */
  const published = new Map<string, Promise<PublishResult | undefined>>();

  const publish = async (events: readonly SerializedEvent[]): Promise<Republished> => {
    const unpublished = events.filter(({ id }) => !published.has(id));
    const publishing = bus.publish(unpublished);
    for (const [index, { id }] of unpublished.entries())
      published.set(
        id,
        publishing.then((results) => results[index]),
      );
    const results = await Promise.all(events.map(({ id }) => published.get(id)));
    const failed = events.flatMap(({ name, id }, index) => {
      const result = results[index];
      if (result?.kind === 'published') return [];
      published.delete(id);
      return [`${name} ${id}: ${result?.reason ?? 'no result'}`];
    });
    const [first] = failed;
    if (first === undefined) return DONE;
    const more = failed.length === 1 ? '' : `, and ${failed.length - 1} more`;
    return left(`The event bus did not accept ${first}${more}.`);
  };

  const publishChanges = async (read: readonly (ItemChange | undefined)[]): Promise<Republished> => {
    const events = await mapConcurrently(CHANGE_CONCURRENCY, read, async (change) => {
      if (change === undefined) return [];
      const read = change.kind === 'turn' ? await turns.eventsOf(change) : itemEvents(change);
      return read.map((event) => serializeEvent(event, { content }));
    });
    return publish(events.flat());
  };

  const republishFailure = async (body: string): Promise<Republished> => {
    const failure = parsePublishFailure(body);
    switch (failure.kind) {
      case 'event':
        return publish([eventOf(failure.event)]);
      case 'turn':
        await turns.end(failure.turn);
        return DONE;
      case 'record':
        return publishChanges([changes.readRecord(failure.record)]);
      case 'key':
        return publishChanges([await changes.readItem(failure)]);
      case 'range': {
        const range = await changes.readRange(failure.range);
        if (range.kind === 'expired') return left(EXPIRED);
        const result = await publishChanges(range.changes);
        return range.unreadable === 0 || result.kind === 'left'
          ? result
          : left(`${range.unreadable} of the ${failure.range.count} changes cannot be read. See the log of publish.`);
      }
      case 'unreadable':
        return left('It contains neither a change, nor a position in the stream, nor an event.');
    }
  };

  const republishUndelivered = async (body: string): Promise<Republished> => {
    const event = parseDeadEvent(body);
    return event === undefined ? left('It is not an event of Parley.') : publish([eventOf(event)]);
  };

  /** Never throws, so that one dead letter does not keep the others from being redriven. */
  return async (queue: 'publishing' | 'targets', body: string): Promise<Republished> => {
    try {
      return await (queue === 'publishing' ? republishFailure(body) : republishUndelivered(body));
    } catch (error) {
      return left(`${summarizeError(error)}.`);
    }
  };
};

const DONE: Republished = { kind: 'done' };
const left = (why: string): Republished => ({ kind: 'left', why });

const EXPIRED =
  "The table's stream no longer has these changes, because it keeps them for 24 hours. What they changed is in the " +
  'table: consumers can read it through the management API. A turn that is still open ends after the next message of ' +
  'its user, or when you delete its item, which parley check-table lists. Then delete this dead letter.';

const eventOf = ({ id, name, time, detail }: DeadEvent): SerializedEvent => ({
  id,
  name,
  at: time,
  detail: JSON.stringify(detail),
});
