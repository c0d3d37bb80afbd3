import { createHash } from 'node:crypto';
import type { AccountRef } from '../domain/account.ts';
import type { ContactRef } from '../domain/contact.ts';

/** A table item's key. Nothing is keyed by channel, stage or day, so that no key grows hot. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** The contact's name in the index `byContact`, and its item's partition key. */
export const contactName = ({ platform, channel, key }: ContactRef): string =>
  `CONTACT#${escapePart(platform)}#${escapePart(channel)}#${key}`;

export const contactItem = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'CONTACT' });

/** A user's message, or one that we sent, with its statuses. */
export const messageItem = (id: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: 'MESSAGE' });

/** A message come back from the service: an item of its own, as it may have the id of one that we sent. */
export const echoItem = (id: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: 'ECHO' });

export const sendItem = (requestId: string): ItemKey => ({ pk: `SEND#${requestId}`, sk: 'SEND' });

/** One item an account: it is read every few seconds by a running function, and written only around a hold. */
export const accountItem = ({ platform, channel }: AccountRef): ItemKey => ({
  pk: `ACCOUNT#${escapePart(platform)}#${channel}`,
  sk: 'ACCOUNT',
});

/** Reads what {@link contactName} wrote; undefined for anything else. */
export const readContactName = (name: unknown): ContactRef | undefined => {
  if (typeof name !== 'string' || !name.startsWith('CONTACT#')) return undefined;
  const [, platform, channel, ...key] = name.split('#');
  return platform === undefined || channel === undefined
    ? undefined
    : { platform: unescapePart(platform), channel: unescapePart(channel), key: key.join('#') };
};

/** What stays of an erased contact. */
export const erasureItem = (erasureId: string): ItemKey => ({ pk: `ERASURE#${erasureId}`, sk: 'ERASURE' });

const UNSETTLED_SHARDS = 8;

/** The partitions of the index `unsettled`: several, or an outage that leaves every send uncertain would make one hot. */
export const UNSETTLED_PARTITIONS: readonly string[] = Array.from({ length: UNSETTLED_SHARDS }, (_, shard) =>
  String(shard),
);

/** The partition of an uncertain send. */
export const unsettledPartition = (requestId: string): string =>
  String((createHash('sha256').update(requestId).digest()[0] ?? 0) % UNSETTLED_SHARDS);

/** The last part may hold anything; in the others the separator would make two contacts one. */
const escapePart = (part: string): string => part.replaceAll('%', '%25').replaceAll('#', '%23');

const unescapePart = (part: string): string => part.replaceAll('%23', '#').replaceAll('%25', '%');
