import { createHash } from 'node:crypto';
import { type Instant, parseServiceTime } from './instant.ts';
import type { EventBase } from './webhook-event.ts';
import { readServiceEvent } from './webhook-formats/formats.ts';

/** One of the events that the chat service delivered for the same message, for example before and after an edit. */
export interface MessageVersion {
  /** The event exactly as received. */
  readonly body: string;
  /** When the message was last modified, as the event says, or else when the event was delivered. */
  readonly modifiedAt: Instant;
}

/** The maximum number of versions that are kept besides the latest one. Any others are quarantined. */
export const MAX_EARLIER_VERSIONS = 50;

/** Returns when the message of an event was last modified, if the event says so. */
export const statedModification = ({ modified }: Pick<EventBase, 'modified'>): Instant | undefined =>
  modified?.source === 'event' || modified?.own !== undefined ? modified.at : undefined;

/**
 * Returns the version that an event brings of a message that is stored already, with its latest body and its earliest
 * creation. If the event does not say when the message was modified, Parley uses the event's own time. If that is the
 * time of the creation, which an edit usually repeats, and the stored version does not say either, it uses the time of
 * the delivery.
 */
export const versionOf = (
  event: EventBase,
  stored: { readonly body: string; readonly createdAt: Instant },
): MessageVersion => {
  const { body, time, modified = time } = event;
  const isUnstated = time.at === stored.createdAt && modificationIn(stored.body) === undefined;
  return { body, modifiedAt: statedModification(event) ?? (isUnstated ? modified.at : time.at) };
};

const modificationIn = (body: string): Instant | undefined =>
  parseServiceTime(readServiceEvent(body)?.modificationTime);

/** Whether a version of a message is later than another. Never depends on the order in which they were stored. */
export const isLaterVersion = (one: MessageVersion, other: MessageVersion): boolean =>
  one.modifiedAt > other.modifiedAt || (one.modifiedAt === other.modifiedAt && one.body > other.body);

/** Identifies a version among those of its message. */
export const versionDigest = (body: string): string =>
  createHash('sha256').update(body).digest('base64url').slice(0, 32);

/** Returns when the user wrote the message, as this version says, or else when it was modified. */
export const versionCreatedAt = ({ body, modifiedAt }: MessageVersion): Instant => {
  const own = parseServiceTime(readServiceEvent(body)?.time);
  return own !== undefined && own <= modifiedAt ? own : modifiedAt;
};
