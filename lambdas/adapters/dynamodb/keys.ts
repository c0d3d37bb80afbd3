import { createHash } from 'node:crypto';
import type { AccountRef } from '../../domain/circuit-breaker.ts';
import type { ContactRef } from '../../domain/contact.ts';
import type { SendState } from '../../domain/send-transitions.ts';

/** A table item's key. Nothing is keyed by channel, stage, or day, so that no key becomes hot. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** A contact's name: its item's partition key, and the partition of its messages and sends in `byContact`. */
export const contactName = ({ platform, channel, key }: ContactRef): string =>
  `CONTACT#${escapePart(platform)}#${escapePart(channel)}#${key}`;

/** Parses what {@link contactName} wrote. Returns undefined for anything else. */
export const parseContactName = (name: unknown): ContactRef | undefined => {
  if (typeof name !== 'string' || !name.startsWith('CONTACT#')) return undefined;
  const [, platform, channel, ...key] = name.split('#');
  return platform === undefined || channel === undefined
    ? undefined
    : { platform: unescapePart(platform), channel: unescapePart(channel), key: key.join('#') };
};

export const contactKeyOf = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'CONTACT' });

/** A message and its statuses. */
export const messageKey = (id: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: 'MESSAGE' });

/** The echo of a message: an item of its own, because it can name another contact and be as large as an item can be. */
export const echoKey = (id: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: 'ECHO' });

export const sendKey = (requestId: string): ItemKey => ({ pk: `SEND#${requestId}`, sk: 'SEND' });

/** A running function reads the account's item every few seconds; it is written only when the circuit changes. */
export const accountKey = ({ platform, channel }: AccountRef): ItemKey => ({
  pk: `ACCOUNT#${escapePart(platform)}#${channel}`,
  sk: 'ACCOUNT',
});

export const erasureKey = (erasureId: string): ItemKey => ({ pk: `ERASURE#${erasureId}`, sk: 'ERASURE' });

/** Returns the id in a partition key, which may itself contain the separator. */
export const idOf = (pk: unknown): string => String(pk).slice(String(pk).indexOf('#') + 1);

/**
 * The index `byContact` (partition `contact`, sort `contactSort`, keys only) holds a contact's messages and sends, each
 * kind in order of time. Keys only: a status or a send's next state then costs no write to the index.
 */
export const BY_CONTACT = 'byContact';
export type ContactSortKind = 'MESSAGE' | 'SEND';
export const contactSort = (kind: ContactSortKind, createdAt: string): string => `${kind}#${createdAt}`;

/**
 * The sparse index `byState` (partition `stateShard`, sort `stateAt`, keys only) holds the sends that operators look
 * for. Sharded: an outage that leaves every send in one state would make a single partition hot, and a throttled index
 * blocks the table's writes.
 */
export const BY_STATE = 'byState';
const STATE_SHARDS = 16;

/** The partitions of one state, such as `uncertain#7`. */
export const stateShards = (state: SendState): readonly string[] =>
  Array.from({ length: STATE_SHARDS }, (_, shard) => `${state}#${shard}`);

/** The partition of a send in a state. */
export const stateShard = (state: SendState, requestId: string): string =>
  `${state}#${(createHash('sha256').update(requestId).digest()[0] ?? 0) % STATE_SHARDS}`;

/** Only the last part of a key may hold the separator; anywhere else it would make one contact of two. */
const escapePart = (part: string): string => part.replaceAll('%', '%25').replaceAll('#', '%23');

const unescapePart = (part: string): string => part.replaceAll('%23', '#').replaceAll('%25', '%');
