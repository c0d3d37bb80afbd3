import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Trace } from '../../sandbox/inspector.ts';
import type { TableItem } from './table-stream.ts';

/** The events on the bus, oldest first. */
export type BusEvents = NonNullable<Trace['busEvents']>;

/** A message by its id, or a send by its request id. */
export type TraceSubject = { readonly messageId: string } | { readonly requestId: string };

/** Returns everything in the table and on the bus about a message or a send. */
export const readTrace = async (
  dynamodb: DynamoDBClient,
  tableName: string,
  busEvents: () => BusEvents,
  subject: TraceSubject,
): Promise<Trace> => {
  const items = await readItems((pk, sk) => readItem(dynamodb, tableName, pk, sk), subject);
  return { items, busEvents: busEvents().filter(isAbout(items)) };
};

type ReadItem = (pk: string, sk: string) => Promise<TableItem | undefined>;

/** Reads the send, the message, and the contact's items, and omits those that do not exist. */
const readItems = async (read: ReadItem, subject: TraceSubject): Promise<readonly TableItem[]> => {
  const requested = 'requestId' in subject ? await read(`SEND#${subject.requestId}`, 'SEND') : undefined;
  const messageId = 'messageId' in subject ? subject.messageId : requested?.messageId;
  const message = messageId === undefined ? undefined : await read(`MESSAGE#${messageId}`, 'MESSAGE');
  const send = requested ?? (message?.requestId ? await read(`SEND#${message.requestId}`, 'SEND') : undefined);
  const contactKey = message?.contact ?? send?.contact;
  const contact =
    contactKey === undefined ? [] : await Promise.all(CONTACT_ITEMS.map((sk) => read(String(contactKey), sk)));
  return [send, message, ...contact].filter((item) => item !== undefined);
};

/** The sort keys of everything that is stored about a contact itself. */
const CONTACT_ITEMS = ['CONTACT', 'CONSENT', 'CHECK', 'DENIAL'];

const readItem = async (client: DynamoDBClient, TableName: string, pk: string, sk: string) => {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: marshall({ pk, sk }), ConsistentRead: true }),
  );
  return Item && Object.fromEntries(Object.entries(unmarshall(Item)).map(([name, value]) => [name, plain(value)]));
};

/** Returns a set as an array, because JSON has no sets. DynamoDB returns its members in no order. */
const plain = (value: unknown): unknown => (value instanceof Set ? [...value].toSorted() : value);

/** Returns whether an event is about the message or the send. */
const isAbout = (items: readonly TableItem[]) => {
  const ids = items
    .filter(({ sk }) => !CONTACT_ITEMS.includes(String(sk)))
    .map(({ pk }) => JSON.stringify(String(pk).replace(/^(MESSAGE|SEND)#/, '')));
  return ({ detail }: BusEvents[number]): boolean => {
    const json = JSON.stringify(detail);
    return ids.some((id) => json.includes(id));
  };
};
