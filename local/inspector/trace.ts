import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ContactRef } from '../../lambdas/domain/contact.ts';
import { describeVersions } from '../../lambdas/domain/describe-versions.ts';
import type { Instant } from '../../lambdas/domain/instant.ts';
import { optOutConfirmationId } from '../../lambdas/domain/keywords/opt-out-confirmation.ts';
import type { StoredMessage } from '../../lambdas/domain/message.ts';
import { STATUS_TIMES } from '../../lambdas/domain/message-status.ts';
import type { MessageVersion } from '../../lambdas/domain/message-version.ts';
import type { SendRecord } from '../../lambdas/domain/send.ts';
import { traceIdOf } from '../../lambdas/domain/trace-context.ts';
import { parseContact } from '../../lambdas/table/contact-item.ts';
import type { Item } from '../../lambdas/table/item.ts';
import { turnImage } from '../../lambdas/table/item-changes.ts';
import {
  checkKeyOf,
  consentKeyOf,
  contactKeyOf,
  contactName,
  denialKeyOf,
  echoKey,
  handoverKeyOf,
  type ItemKey,
  idOf,
  messageKey,
  parseContactName,
  sendKey,
  turnKeyOf,
  versionKey,
} from '../../lambdas/table/keys.ts';
import { parseMessage, parseTimeSource } from '../../lambdas/table/message-item.ts';
import { parseVersion } from '../../lambdas/table/version-item.ts';
import type { MessageView, Trace, TracedItem } from '../../sandbox/base/trace.ts';
import { isObject } from '../base/json.ts';
import { viewSend } from './send-summary.ts';
import { itemText, keyText, readSend, unlessDamaged } from './stored-items.ts';

/** The events on the bus, oldest first. */
export type BusEvents = NonNullable<Trace['busEvents']>;

/** Returns the events on the bus whose detail satisfies a condition, oldest first. */
export type FindBusEvents = (isWanted: (detail: unknown) => boolean) => BusEvents;

/** A message by its id, or a send by its request id. */
export type TraceSubject = { readonly messageId: string } | { readonly requestId: string };

/** Where traces are read from, and the clock of the run. */
export interface TraceSource {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
  readonly findBusEvents: FindBusEvents;
  readonly now: () => Instant;
}

type ReadItem = (key: ItemKey) => Promise<Item | undefined>;
type Items = Partial<Record<TracedItem, Item | undefined>>;

/** The items of a trace, with its send and its message parsed, because their links lead to the other items. */
interface Found {
  readonly items: Items;
  readonly send: SendRecord | undefined;
  readonly message: StoredMessage | undefined;
}

/** Returns everything in the table and on the bus about a message or a send. */
export const readTrace = async (
  { dynamodb, tableName, findBusEvents, now }: TraceSource,
  subject: TraceSubject,
): Promise<Trace> => {
  const read: ReadItem = (key) => readItem(dynamodb, tableName, key);
  const isOfSend = 'requestId' in subject;
  const { items, send, message } = isOfSend
    ? await readOfSend(read, subject.requestId)
    : await readOfMessage(read, subject.messageId);
  const { contact, consent, check, denial, handover, turn } = items;
  const echo = items.echo && readMessage(items.echo);
  const found = Object.entries(items).flatMap(([name, item]) => (item === undefined ? [] : [{ name, item }]));
  const versions = await readVersions(read, items.message ?? items.echo, [message, echo]);
  const times = new Set([message?.createdAt, echo?.createdAt]);
  const queued = !isOfSend && consent ? await read(sendKey(optOutConfirmationId(subject.messageId))) : undefined;
  const confirmation = queued && readSend(queued);
  return {
    send: send && viewSend(send),
    message: message && viewMessage(items.message, message, versions),
    echo: echo && viewMessage(items.echo, echo, versions),
    contact: unlessDamaged(() => parseContact([contact, consent, check, denial, handover], now())),
    turn: turn && turnImage(turn),
    items: Object.fromEntries(found.map(({ name, item }) => [name, itemText(item)])),
    keys: found.map(({ item }) => keyText(item)),
    // The events of an erased send name its user.
    busEvents: send?.erasedAt ? [] : findBusEvents(isAbout(new Set(found.map(({ item }) => item.pk)), times)),
    ...(confirmation && { confirmation: viewSend(confirmation) }),
  };
};

type Versions = ReadonlyMap<string, MessageVersion>;

/** Reads the earlier versions of the message and its echo, which have the same ID, by digest. */
const readVersions = async (
  read: ReadItem,
  item: Item | undefined,
  stored: readonly (StoredMessage | undefined)[],
): Promise<Versions> => {
  const digests = stored.flatMap((one) => [...(one?.versions ?? [])]);
  const versions = await Promise.all(
    digests.map(async (digest) => {
      const found = await read(versionKey(idOf(item?.pk), digest));
      const version = found && unlessDamaged(() => parseVersion(found));
      return version === undefined ? [] : [[digest, version] as const];
    }),
  );
  return new Map(versions.flat());
};

const readMessage = (item: Item): StoredMessage | undefined => unlessDamaged(() => parseMessage(item));

const viewMessage = (item: Item | undefined, stored: StoredMessage, earlier: Versions): MessageView => {
  const { createdAt, traceparent, failure, ...statuses } = stored;
  return {
    ...{ createdAt, failure },
    timeSource: item && parseTimeSource(item),
    traceId: traceparent && traceIdOf(traceparent),
    versions: describeVersions(stored, earlier)?.map(({ modifiedAt, body }) => ({ modifiedAt, body })),
    statuses: STATUS_TIMES.flatMap((name) => {
      const at = statuses[name];
      return at === undefined ? [] : [{ status: name.slice(0, -'At'.length), at }];
    }),
  };
};

const readOfSend = async (read: ReadItem, requestId: string): Promise<Found> => {
  const item = await read(sendKey(requestId));
  const send = item && readSend(item);
  const [message, contact] = await Promise.all([
    readIf(read, messageKey, send?.messageId),
    readContact(read, parseContactName(item?.contact)),
  ]);
  return { items: { send: item, message, ...contact }, send, message: message && readMessage(message) };
};

const readOfMessage = async (read: ReadItem, messageId: string): Promise<Found> => {
  const [item, echo] = await Promise.all([read(messageKey(messageId)), read(echoKey(messageId))]);
  const message = item && readMessage(item);
  const known = parseContactName(item?.contact ?? echo?.contact);
  const [send, ofMessage] = await Promise.all([readIf(read, sendKey, message?.requestId), readContact(read, known)]);
  // A status is stored before its message if it arrives first, and then names no contact.
  const contact = known ? ofMessage : await readContact(read, parseContactName(send?.contact));
  return { items: { send, message: item, echo, ...contact }, send: send && readSend(send), message };
};

const readIf = async (read: ReadItem, keyOf: (id: string) => ItemKey, id: string | undefined) =>
  id === undefined ? undefined : read(keyOf(id));

/** Reads everything that is stored about a contact itself. */
const readContact = async (read: ReadItem, ref: ContactRef | undefined): Promise<Items> => {
  if (ref === undefined) return {};
  const keys = [contactKeyOf, consentKeyOf, checkKeyOf, denialKeyOf, handoverKeyOf, turnKeyOf];
  const [contact, consent, check, denial, handover, turn] = await Promise.all(keys.map((keyOf) => read(keyOf(ref))));
  return { contact, consent, check, denial, handover, turn };
};

/**
 * The maximum length of a partition key.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const MAX_KEY_BYTES = 2048;

/** The SDK itself waits without end for an emulator that has stopped responding. */
const READ_TIMEOUT_MS = 10_000;

const readItem = async (client: DynamoDBClient, TableName: string, key: ItemKey) => {
  if (Buffer.byteLength(key.pk) > MAX_KEY_BYTES) return undefined;
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: marshall(key), ConsistentRead: true }), {
    abortSignal: AbortSignal.timeout(READ_TIMEOUT_MS),
  });
  return Item && unmarshall(Item);
};

/**
 * Returns whether the detail of an event is about the message or the send, about the turn that the message is in, or
 * about what the message did to its contact: an opt-out, or a handover, which has the message's time.
 */
const isAbout = (names: ReadonlySet<unknown>, times: ReadonlySet<unknown>) => {
  const isNamed = ({ pk }: ItemKey): boolean => names.has(pk);
  return (detail: unknown): boolean => {
    if (!isObject(detail)) return false;
    const { messageId, requestId, contact, at, messages } = detail;
    if (Array.isArray(messages))
      return messages.some((one) => isObject(one) && isNamed(messageKey(`${one.messageId}`)));
    if (messageId !== undefined || requestId !== undefined) {
      return isNamed(messageKey(`${messageId}`)) || isNamed(sendKey(`${requestId}`));
    }
    if (at === undefined || !times.has(at) || !isObject(contact)) return false;
    const { platform, channel, key } = contact;
    return names.has(contactName({ platform: `${platform}`, channel: `${channel}`, key: `${key}` }));
  };
};
