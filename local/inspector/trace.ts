import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { optOutConfirmationId } from '../../lambdas/domain/keywords/opt-out-confirmation.ts';
import type { Trace } from '../../sandbox/base/inspector.ts';
import { isObject } from '../base/json.ts';
import type { TableItem } from './table-stream.ts';

/** The events on the bus, oldest first. */
export type BusEvents = NonNullable<Trace['busEvents']>;

/** Returns the events on the bus whose detail satisfies a condition, oldest first. */
export type FindBusEvents = (isWanted: (detail: unknown) => boolean) => BusEvents;

/** A message by its id, or a send by its request id. */
export type TraceSubject = { readonly messageId: string } | { readonly requestId: string };

/** Returns everything in the table and on the bus about a message or a send. */
export const readTrace = async (
  dynamodb: DynamoDBClient,
  tableName: string,
  findBusEvents: FindBusEvents,
  subject: TraceSubject,
): Promise<Trace> => {
  const read: ReadItem = (pk, sk) => readItem(dynamodb, tableName, pk, sk);
  const items = await readItems(read, subject);
  const isKeyword = 'messageId' in subject && items.some(({ sk }) => sk === 'CONSENT');
  const confirmation = isKeyword ? await read(`SEND#${optOutConfirmationId(subject.messageId)}`, 'SEND') : undefined;
  return { items, busEvents: findBusEvents(isAbout(items)), ...(confirmation && { confirmation }) };
};

type ReadItem = (pk: string, sk: string) => Promise<TableItem | undefined>;

/** Reads the send, the message, its echo, and the contact's items, and omits those that do not exist. */
const readItems = async (read: ReadItem, subject: TraceSubject): Promise<readonly TableItem[]> => {
  const readIf = async (name: string, id: unknown) => (id === undefined ? undefined : read(`${name}#${id}`, name));
  const readContact = async (key: unknown) =>
    key === undefined ? [] : Promise.all(CONTACT_ITEMS.map((sk) => read(String(key), sk)));
  if ('requestId' in subject) {
    const send = await readIf('SEND', subject.requestId);
    const [message, contact] = await Promise.all([readIf('MESSAGE', send?.messageId), readContact(send?.contact)]);
    return [send, message, ...contact].filter((item) => item !== undefined);
  }
  const { messageId } = subject;
  const [message, echo] = await Promise.all([readIf('MESSAGE', messageId), read(`MESSAGE#${messageId}`, 'ECHO')]);
  const known = message?.contact ?? echo?.contact;
  const [send, contact] = await Promise.all([readIf('SEND', message?.requestId), readContact(known)]);
  // A status is stored before its message if it arrives first, and then names no contact.
  const others = known === undefined ? await readContact(send?.contact) : contact;
  return [send, message, echo, ...others].filter((item) => item !== undefined);
};

/** The sort keys of everything that is stored about a contact itself. */
const CONTACT_ITEMS = ['CONTACT', 'CONSENT', 'CHECK', 'DENIAL', 'HANDOVER', 'TURN'];

/**
 * The maximum length of a partition key.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const MAX_KEY_BYTES = 2048;

/** The SDK itself waits without end for an emulator that has stopped responding. */
const READ_TIMEOUT_MS = 10_000;

const readItem = async (client: DynamoDBClient, TableName: string, pk: string, sk: string) => {
  if (Buffer.byteLength(pk) > MAX_KEY_BYTES) return undefined;
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: marshall({ pk, sk }), ConsistentRead: true }),
    { abortSignal: AbortSignal.timeout(READ_TIMEOUT_MS) },
  );
  return Item && Object.fromEntries(Object.entries(unmarshall(Item)).map(([name, value]) => [name, plain(value)]));
};

/** Returns a set as an array, because JSON has no sets. DynamoDB returns its members in no order. */
const plain = (value: unknown): unknown => (value instanceof Set ? [...value].toSorted() : value);

/**
 * Returns whether the detail of an event is about the message or the send, about the turn that the message is in, or
 * about what the message did to its contact: an opt-out, or a handover, which has the message's time.
 */
const isAbout = (items: readonly TableItem[]) => {
  const keys = new Set(items.map(({ pk }) => pk));
  const times = new Set(items.flatMap(({ sk, createdAt }) => (sk === 'MESSAGE' || sk === 'ECHO' ? [createdAt] : [])));
  return (detail: unknown): boolean => {
    if (!isObject(detail)) return false;
    const { messageId, requestId, contact, at, messages } = detail;
    if (Array.isArray(messages)) return messages.some((one) => isObject(one) && keys.has(`MESSAGE#${one.messageId}`));
    if (messageId !== undefined || requestId !== undefined) {
      return keys.has(`MESSAGE#${messageId}`) || keys.has(`SEND#${requestId}`);
    }
    if (at === undefined || !times.has(at) || !isObject(contact)) return false;
    return keys.has(`CONTACT#${contact.platform}#${contact.channel}#${contact.key}`);
  };
};
