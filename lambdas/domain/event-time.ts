import { type Instant, readInstant } from './instant.ts';

/** Where an event's time was taken from. */
export type EventTimeSource = 'event' | 'carrier' | 'arrival';

export interface EventTime {
  readonly at: Instant;
  readonly source: EventTimeSource;
}

/** When the carrier took the event in, if it says so, and when it reached us. */
export interface DeliveryTimes {
  readonly publishedAt?: Instant;
  readonly receivedAt: Instant;
}

/**
 * The time that counts for an event: its own `CREATION_TIME`; where that is missing, unreadable or in the future, the
 * carrier's publish time, which a redelivery does not change; at last the arrival.
 *
 * A time in the future would hold a conversation window open for longer than 24 hours.
 */
export const eventTime = (creationTime: unknown, { publishedAt, receivedAt }: DeliveryTimes): EventTime => {
  const own = readInstant(creationTime);
  if (own !== undefined && own <= receivedAt) return { at: own, source: 'event' };
  if (publishedAt !== undefined && publishedAt <= receivedAt) return { at: publishedAt, source: 'carrier' };
  return { at: receivedAt, source: 'arrival' };
};
