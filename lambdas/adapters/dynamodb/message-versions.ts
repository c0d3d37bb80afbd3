import { WriteRefusedError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/instant.ts';
import {
  isLaterVersion,
  MAX_EARLIER_VERSIONS,
  type MessageVersion,
  versionCreatedAt,
  versionDigest,
  versionOf,
} from '../../domain/message-version.ts';
import type { Echo, InboundMessage } from '../../domain/webhook-event.ts';
import type { RecordedMessage } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { versionKey } from '../../table/keys.ts';
import { parseMessage, parseTimeSource } from '../../table/message-item.ts';
import { parseVersion, versionAttributes } from '../../table/version-item.ts';
import { arrivalKey, arrivalSubject, contentAttributes, timeAttributes } from './arrival-attributes.ts';
import { readByWriting } from './read-by-writing.ts';
import type { ConversationTable } from './table.ts';

/**
 * Records an event whose message is stored already. The item keeps the latest version, with the time of the earliest
 * one; every other version is an item of its own, which is written first, so that a function that dies in between loses
 * none, and a redelivery completes the write.
 *
 * @param item the message's item
 * @returns undefined if the item has changed since, so that the event must be recorded again
 * @throws WriteRefusedError if the message has too many versions
 */
export const recordVersion = async (
  table: ConversationTable,
  arrival: InboundMessage | Echo,
  item: Item,
): Promise<RecordedMessage | undefined> => {
  const { createdAt, body, modifiedAt = createdAt, versions = NONE } = parseMessage(item);
  if (createdAt === undefined || modifiedAt === undefined || body === undefined) {
    return { at: createdAt ?? arrival.time.at };
  }
  const contacts = { stored: textOf(item.contact), arrived: arrivalSubject(arrival) };
  const latest: MessageVersion = { body, modifiedAt };
  const arrived = versionOf(arrival, { body, createdAt });
  if (!isVersion(arrival, item)) return { at: createdAt };
  if (arrived.body === body) return versions.size === 0 ? { at: createdAt } : { at: createdAt, version: latest };
  if (versions.has(versionDigest(arrived.body))) {
    // A repetition can be delivered later, and so seem to be modified later. An erasure may have deleted the version.
    const stored = await readByWriting(table, versionKey(arrival.id, versionDigest(arrived.body)));
    return { at: createdAt, version: stored === undefined ? arrived : parseVersion(stored) };
  }
  if (versions.size >= MAX_EARLIER_VERSIONS) throw new WriteRefusedError(tooManyVersions(arrival.id));
  const isLater = isLaterVersion(arrived, latest);
  const [earlier, later] = isLater ? [latest, arrived] : [arrived, latest];
  await keepVersion(table, arrival, earlier, isLater ? contacts.stored : contacts.arrived);
  const stored = { at: createdAt, source: parseTimeSource(item) };
  const time = isEarlier(arrival, stored) ? arrival.time : stored;
  const { kind } = await table.update({
    key: arrivalKey(arrival),
    set: {
      ...(isLater && contentAttributes(arrival)),
      modifiedAt: later.modifiedAt,
      ...timeAttributes(table, time, isLater ? contacts.arrived : contacts.stored),
    },
    add: { versions: new Set([versionDigest(earlier.body)]) },
    values: { storedBody: body, storedCreatedAt: createdAt },
    condition: '#body = :storedBody AND #createdAt = :storedCreatedAt',
  });
  return kind === 'written' ? { at: time.at, version: arrived } : undefined;
};

const tooManyVersions = (id: string): string =>
  `The message ${id} has too many versions: ${MAX_EARLIER_VERSIONS} and the latest one are stored.`;

/** Writes a version that is not the latest. A repetition changes nothing. */
const keepVersion = async (
  table: ConversationTable,
  { kind, id }: InboundMessage | Echo,
  version: MessageVersion,
  contact: string | undefined,
): Promise<void> => {
  const direction = kind === 'message' ? 'inbound' : kind;
  await table.update({
    key: versionKey(id, versionDigest(version.body)),
    set: {
      ...versionAttributes(version, { direction, contact }),
      expiresAt: table.expiryOf('messages', versionCreatedAt(version)),
    },
    condition: 'attribute_not_exists(#pk)',
  });
};

/** The time of an arrival never counts, because a redelivery arrives later. */
const isEarlier = ({ time: { at, source } }: InboundMessage | Echo, stored: StoredTime): boolean =>
  source !== 'arrival' && (at < stored.at || (at === stored.at && source < (stored.source ?? '')));

interface StoredTime {
  readonly at: Instant;
  readonly source: string | undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const NONE: ReadonlySet<string> = new Set();

/** A status is stored whole beside the message that it carries, and a history is kept by the chat service. */
const isVersion = ({ isFromStatus, isImported }: InboundMessage | Echo, item: Item): boolean =>
  !isFromStatus && !isImported && item.isFromStatus === undefined && item.isImported === undefined;

/** Reads the earlier versions of a message and its echo, by digest. One that was erased meanwhile is left out. */
export const readVersions = async (
  table: Pick<ConversationTable, 'getAll'>,
  id: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, MessageVersion>> => {
  const items = await table.getAll(digests.map((digest) => versionKey(id, digest)));
  return new Map(
    items
      .flatMap((item) => (item === undefined ? [] : [parseVersion(item)]))
      .map((each) => [versionDigest(each.body), each]),
  );
};
