import { compare } from '../compare.ts';
import type { BusEvent } from '../events/event-details.ts';
import { eventId, type ItemChange } from '../events/item-change.ts';
import type { EndedTurn, OpenTurn } from './turn.ts';
import type { TurnSummary } from './turn-summary.ts';

/** Returns the turn that a write started or added a message to. Returns undefined if it ended the turn. */
export const openTurnIn = (change: ItemChange): OpenTurn | undefined => {
  if (change.kind !== 'turn' || change.after === undefined) return undefined;
  const { contact } = change;
  const { firstMessageId, startedAt, messageCount } = change.after;
  if (contact === undefined || firstMessageId === undefined || startedAt === undefined) return undefined;
  return messageCount === undefined ? undefined : { contact, firstMessageId, startedAt, messageCount };
};

/** Returns the turn that a write ended: it deleted the turn's item. */
export const endedTurnIn = (change: ItemChange): EndedTurn | undefined => {
  if (change.kind !== 'turn' || change.before === undefined || change.after !== undefined) return undefined;
  const { contact } = change;
  const { firstMessageId, startedAt, messageIds } = change.before;
  if (contact === undefined || firstMessageId === undefined || startedAt === undefined) return undefined;
  return { contact, firstMessageId, startedAt, messageIds };
};

/**
 * Returns the event of a turn that has ended; none if all of its messages were erased or have expired.
 *
 * @param summary the messages of the turn that are still stored
 */
export const turnEvents = (
  change: Pick<ItemChange, 'key' | 'writtenAt'>,
  { contact, firstMessageId, startedAt }: EndedTurn,
  { messages, isTruncated }: TurnSummary,
): readonly BusEvent[] => {
  const ordered = messages.toSorted(
    (one, other) => compare(one.createdAt, other.createdAt) || compare(one.id, other.id),
  );
  const latest = ordered.at(-1);
  if (latest === undefined) return [];
  return [
    {
      name: 'TurnEnded',
      detail: {
        // After an erasure, the first message can be delivered again, and start another turn.
        id: eventId('TurnEnded', change, `${firstMessageId} ${startedAt}`),
        traceparent: latest.traceparent,
        contact,
        at: change.writtenAt,
        platformContactId: latest.from,
        messages: ordered.map(({ id, createdAt }) => ({ messageId: id, at: createdAt })),
        ...(isTruncated && { truncated: true }),
        content: latest.content && { messages: ordered.map(({ id, content }) => ({ messageId: id, ...content })) },
      },
    },
  ];
};
