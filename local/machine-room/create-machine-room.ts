import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { queueDepth } from '../../cli/operations/dead-letter-queue.ts';
import { createManagementClient } from '../../cli/operations/management-client.ts';
import { redrive } from '../../cli/operations/redrive.ts';
import { createSignedFetch } from '../../cli/operations/signed-fetch.ts';
import type { MachineRoom, MachineRoomChange, QueueDepths, Trace } from '../../sandbox/machine-room/machine-room.ts';
import type { Emulators } from '../emulators/emulators.ts';
import { peek } from './dead-letters.ts';
import { openSendLog, type SendLog } from './send-log.ts';
import type { TableItem } from './table-watch.ts';

/** The table and the queues that the machine room looks into. */
export interface MachineRoomAddresses {
  readonly tableName: string;
  readonly sendQueueUrl: string;
  readonly sendDeadLetterQueueUrl: string;
  readonly inboundQueueUrl: string;
  readonly inboundDeadLetterQueueUrl: string;
  /** Where a rejected send is opened again before its request is brought back. */
  readonly managementUrl: string;
}

/** What the business's systems were told. */
export type BusEvents = NonNullable<Trace['busEvents']>;

const LISTED_SENDS = 200;
const POLL_MS = 1_000;
const API_TIMEOUT_MS = 30_000;

/**
 * Shows the sandbox's console a local run's table and queues, by the SDK's clients. Nothing is watched until somebody
 * looks.
 */
export const createMachineRoom = (
  { dynamodb, sqs, env }: Pick<Emulators, 'dynamodb' | 'sqs' | 'env'>,
  addresses: MachineRoomAddresses,
  busEvents?: () => BusEvents,
): MachineRoom & { close(): void } => {
  const { tableName, sendQueueUrl, sendDeadLetterQueueUrl, inboundQueueUrl, inboundDeadLetterQueueUrl } = addresses;
  const region = env.AWS_REGION ?? '';
  const credentials = {
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
  };
  const api = createManagementClient(
    addresses.managementUrl,
    createSignedFetch({ region, credentials: async () => credentials }, API_TIMEOUT_MS),
  );
  const streams = new DynamoDBStreamsClient({
    region,
    credentials,
    endpoint: env.AWS_ENDPOINT_URL_DYNAMODB,
  });
  const listeners = new Set<(change: MachineRoomChange) => void>();
  let log: Promise<SendLog> | undefined;
  let polling: NodeJS.Timeout | undefined;
  let lastDepths = '';
  let lastTold: unknown;

  const tell = (change: MachineRoomChange) => {
    for (const listener of listeners) listener(change);
  };

  const sendLog = (): Promise<SendLog> => {
    log ??= openSendLog(dynamodb, streams, tableName, (item, send) => {
      const contact = typeof item.contact === 'string' ? item.contact : undefined;
      tell(send === undefined ? { kind: 'item', key: `${item.pk} ${item.sk}`, contact } : { kind: 'send', send });
    });
    return log;
  };

  const depths = async (): Promise<QueueDepths> => {
    const urls = [sendQueueUrl, sendDeadLetterQueueUrl, inboundQueueUrl, inboundDeadLetterQueueUrl];
    const [send = 0, sendDeadLetters = 0, inbound = 0, inboundDeadLetters = 0] = await Promise.all(
      urls.map(async (url) => {
        const { available, inFlight } = await queueDepth(sqs, url);
        return available + inFlight;
      }),
    );
    return { send, sendDeadLetters, inbound, inboundDeadLetters };
  };

  const tellDepths = async (): Promise<void> => {
    if (listeners.size === 0) return;
    // An emulator that has gone is told of by everything else.
    const now = await depths().catch(() => undefined);
    const text = JSON.stringify(now);
    if (now === undefined || text === lastDepths) return;
    lastDepths = text;
    tell({ kind: 'queues', depths: now });
  };

  // The bus only remembers, so it is looked at as often as the queues are.
  const tellBus = (): void => {
    const latest = busEvents?.().at(-1)?.detail;
    if (latest === lastTold) return;
    lastTold = latest;
    tell({ kind: 'bus' });
  };

  const queues = {
    send: { sqs, url: sendDeadLetterQueueUrl, destinationUrl: sendQueueUrl },
    inbound: { sqs, url: inboundDeadLetterQueueUrl, destinationUrl: inboundQueueUrl },
  };

  return {
    async sends(platformContactId) {
      const list = (await sendLog()).list();
      return list.filter((send) => isTo(send.platformContactId, platformContactId)).slice(0, LISTED_SENDS);
    },
    async trace(of) {
      const items = await traceItems((pk, sk) => readItem(dynamodb, tableName, pk, sk), of);
      return { items, busEvents: busEvents?.().filter(tellsOf(items)) };
    },
    async enqueue(body, { groupId, id }) {
      const message = { MessageBody: body, MessageGroupId: groupId, MessageDeduplicationId: id };
      await sqs.send(new SendMessageCommand({ QueueUrl: sendQueueUrl, ...message }));
    },
    depths,
    deadLetters: (queue) => peek(sqs, queues[queue].url),
    redrive: async (queue) => (await redrive(queue, queues[queue], api, { filter: {} })).moved,
    watch(listener) {
      listeners.add(listener);
      lastDepths = '';
      // A table that cannot be watched is still shown when asked for.
      void sendLog().catch(() => undefined);
      polling ??= setInterval(() => {
        tellBus();
        void tellDepths();
      }, POLL_MS);
      return () => listeners.delete(listener);
    },
    close() {
      listeners.clear();
      clearInterval(polling);
      void log?.then((opened) => opened.close()).catch(() => undefined);
      streams.destroy();
    },
  };
};

/** Two spellings of a number differ in the plus, if in anything. */
const isTo = (address: string | undefined, asked: string | undefined): boolean =>
  asked === undefined || address?.replace(/^\+/, '') === asked.replace(/^\+/, '');

type ReadItem = (pk: string, sk: string) => Promise<TableItem | undefined>;

const readItem = async (client: DynamoDBClient, TableName: string, pk: string, sk: string) => {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: marshall({ pk, sk }), ConsistentRead: true }),
  );
  return Item && unmarshall(Item);
};

/** The request, the message and the contact, each as far as the table has it. */
const traceItems = async (
  read: ReadItem,
  of: { messageId: string } | { requestId: string },
): Promise<readonly TableItem[]> => {
  const requested = 'requestId' in of ? await read(`SEND#${of.requestId}`, 'SEND') : undefined;
  const messageId = 'messageId' in of ? of.messageId : requested?.messageId;
  const [message, echo] = await Promise.all(['MESSAGE', 'ECHO'].map((sk) => read(`MESSAGE#${messageId}`, sk)));
  const send = requested ?? (message?.requestId ? await read(`SEND#${message.requestId}`, 'SEND') : undefined);
  const contactName = message?.contact ?? send?.contact;
  const contact = contactName === undefined ? undefined : await read(String(contactName), 'CONTACT');
  return [send, message, echo, contact].filter((item) => item !== undefined);
};

/** Whether an event is about the message or the request, by the ids in its detail. */
const tellsOf = (items: readonly TableItem[]) => {
  const ids = items
    .filter(({ sk }) => sk !== 'CONTACT')
    .map(({ pk }) => JSON.stringify(String(pk).replace(/^(MESSAGE|SEND)#/, '')));
  return ({ detail }: BusEvents[number]): boolean => {
    const text = JSON.stringify(detail);
    return ids.some((id) => text.includes(id));
  };
};
