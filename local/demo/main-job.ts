import { isDeepStrictEqual } from 'node:util';
import { toInstant } from '../../lambdas/domain/instant.ts';
import type { SendRecord } from '../../lambdas/domain/send.ts';
import type { SendState } from '../../lambdas/domain/send-transitions.ts';
import { parseContact } from '../../lambdas/table/contact-item.ts';
import type { Item } from '../../lambdas/table/item.ts';
import { contactKeyOf, type ItemKey, messageKey, parseContactName, sendKey } from '../../lambdas/table/keys.ts';
import { parseMessage } from '../../lambdas/table/message-item.ts';
import { parseSend } from '../../lambdas/table/send-item.ts';
import { isObject } from '../base/json.ts';
import { LocalError } from '../base/local-error.ts';
import type { LocalClient } from '../cloud/local-client.ts';
import type { LocalCloud } from '../cloud/local-cloud.ts';
import { waitFor } from './wait-for.ts';

export interface DemoContext {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
  /** Prints a line about a part of the system. */
  readonly print: (part: string, line: string) => void;
}

/** A step of the demo. */
export interface DemoStep {
  readonly title: string;
  /** Runs the step and prints what happens. @throws LocalError if the result is not as expected. */
  readonly play: (context: DemoContext) => Promise<void>;
}

const USER = '+5491155550000';
const TEMPLATE = { ruleNameOrId: 'parcel_update', params: { name: 'Ana' } };
const TEXT = 'Your parcel is on its way.';

/** The main job, from the user's first message to the events on the event bus. */
export const MAIN_JOB: readonly DemoStep[] = [
  {
    title: 'A user writes; the event is verified and stored',
    async play({ client, cloud, print }) {
      const id = await client.userWrites(USER, { text: 'Where is my parcel?' });
      print('user', `${USER} writes "Where is my parcel?"`);
      const delivery = await waitFor('the event is delivered', async () =>
        (await client.deliveries()).find(({ event, status }) => idOf(event) === id && status !== null),
      );
      print('webhook', `signed request answered with ${delivery.status} on attempt ${delivery.attempt}`);
      check(delivery.status === 200, 'the webhook answers 200');
      const { direction, body, contact } = await messageWith(client, id, 'direction');
      const { MESSAGE: text } = JSON.parse(String(body));
      const key = contactKeyOf(contact);
      print('table', `${messageKey(id).pk}: ${direction}, "${text}", contact ${key.pk}`);
      const now = toInstant(cloud.clock.now());
      const stored = await itemOf(client, `${key.pk} is in the table`, key, (item) => parseContact([item], now));
      print('table', `${key.pk}: conversation window open since ${stored.lastInboundAt}`);
    },
  },
  {
    title: 'Inside the window, a message is sent through message/v3',
    async play(context) {
      await sendAndShow(context, { requestId: 'parcel-1', platformContactId: USER, messageText: TEXT }, 'message/v3');
    },
  },
  {
    title: 'The message is delivered, then read',
    async play({ client, print }) {
      const { messageId = '' } = await sendIn(client, 'parcel-1', 'accepted');
      const { pk } = messageKey(messageId);
      const delivered = await messageWith(client, messageId, 'deliveredAt');
      print('table', `${pk}: delivered at ${delivered.deliveredAt}`);
      await client.userReads(USER);
      print('user', `${USER} reads the message`);
      const read = await messageWith(client, messageId, 'readAt');
      print('table', `${pk}: read at ${read.readAt}, delivered at ${read.deliveredAt}`);
    },
  },
  {
    title: 'After 25 hours the window is closed, so the template is sent through intent/v2',
    async play(context) {
      const { client, cloud, print } = context;
      const text = 'Hi ${name}, your parcel is on its way.';
      await client.putRule('parcel_update', { text, category: 'shipping-status' });
      await client.advanceClock(25 * 60 * 60);
      print('clock', `advanced to ${cloud.clock.now().toISOString()}`);
      const request = {
        requestId: 'parcel-2',
        reason: 'shipping-status',
        platformContactId: USER,
        messageText: TEXT,
        ...TEMPLATE,
      };
      await sendAndShow(context, request, 'intent/v2');
    },
  },
  {
    title: 'A request without a template is refused: WINDOW_CLOSED',
    async play({ client, print }) {
      const before = (await client.outbox()).length;
      await client.enqueue({ requestId: 'parcel-3', platformContactId: USER, messageText: TEXT });
      print('queue', 'request parcel-3 with messageText');
      const send = await sendIn(client, 'parcel-3', 'refused');
      print('table', `${sendKey(send.requestId).pk}: ${send.state}, ${send.code}. ${send.decision}`);
      check(send.code === 'WINDOW_CLOSED', 'the request is refused with WINDOW_CLOSED');
      check((await client.outbox()).length === before, 'nothing else is sent');
    },
  },
  {
    title: 'An unsigned webhook request is rejected with 401 and changes nothing',
    async play({ client, cloud, print }) {
      // A status of an earlier step may still be on its way to the table.
      await everyEventAcknowledged(client);
      const before = await client.table();
      const response = await fetch(cloud.webhookUrl, { method: 'POST', body: '{"_id_":"unsigned","FROM":"me"}' });
      print('webhook', `unsigned request answered with ${response.status}`);
      check(response.status === 401, 'the webhook answers 401');
      check(isDeepStrictEqual(await client.table(), before), 'the table is unchanged');
    },
  },
  {
    title: 'Every event is delivered a second time and changes nothing',
    async play({ client, print }) {
      await everyEventAcknowledged(client);
      const before = await client.table();
      const events = new Map((await client.deliveries()).map(({ messageId, event }) => [messageId, event]));
      for (const event of events.values()) await client.deliverEvent(event);
      await waitFor('every event is acknowledged again', async () =>
        (await client.deliveries()).length >= 2 * events.size && (await unacknowledged(client)) === 0
          ? true
          : undefined,
      );
      print('delivery', `${events.size} events delivered again and acknowledged`);
      const after = await client.table();
      check(isDeepStrictEqual(after, before), 'the table is unchanged');
      print('table', `${Object.keys(after).length} items, unchanged`);
      print('outbox', `${(await client.outbox()).length} messages, unchanged`);
    },
  },
  {
    title: 'Everything that happened is published on the event bus exactly once',
    async play({ cloud, print }) {
      await waitFor('every event is published', async () =>
        Object.entries(PUBLISHED).every(([name, count]) => (countPublished(cloud)[name] ?? 0) >= count)
          ? true
          : undefined,
      );
      const published = countPublished(cloud);
      const counts = Object.entries(published).map(([name, count]) => `${count} ${name}`);
      print('bus', counts.join(', '));
      check(isDeepStrictEqual(published, PUBLISHED), `the bus has ${JSON.stringify(PUBLISHED)}`);
    },
  },
];

/** How many events of each name the main job publishes. The redeliveries in step 7 publish none. */
const PUBLISHED = { MessageReceived: 1, SendAccepted: 2, SendRefused: 1, MessageDelivered: 2, MessageRead: 1 };

/** Counts the events on the bus by name. Drops duplicates by id, as consumers do. */
const countPublished = ({ emulators, eventBusName }: LocalCloud): Record<string, number> => {
  const events = new Map(emulators.buses.events(eventBusName).map((event) => [Object(event.detail).id, event]));
  const byName = Object.groupBy(events.values(), (event) => event['detail-type']);
  return Object.fromEntries(Object.entries(byName).map(([name, published = []]) => [name, published.length]));
};

const sendAndShow = async (
  { client, print }: DemoContext,
  request: { readonly requestId: string; readonly platformContactId: string } & Record<string, unknown>,
  endpoint: string,
): Promise<void> => {
  await client.enqueue(request);
  const fields = ['messageText', 'ruleNameOrId'].filter((field) => field in request).join(' and ');
  print('queue', `request ${request.requestId} with ${fields}`);
  const send = await sendIn(client, request.requestId, 'accepted');
  print('table', `${sendKey(send.requestId).pk}: ${send.state}. ${send.decision} ${send.outcome}`);
  const sent = (await client.outbox()).find(({ id }) => id === send.messageId);
  check(sent?.endpoint === endpoint, `the message is sent through ${endpoint}`);
  print('outbox', `${endpoint} to ${sent?.body.platformContactId}, id ${send.messageId}`);
};

const everyEventAcknowledged = (client: LocalClient): Promise<true> =>
  waitFor('every event is acknowledged', async () => ((await unacknowledged(client)) === 0 ? true : undefined));

const idOf = (event: unknown): unknown => (isObject(event) ? event._id_ : undefined);

const unacknowledged = async (client: LocalClient): Promise<number> => {
  const acknowledged = new Map<string, boolean>();
  for (const { messageId, status } of await client.deliveries()) {
    acknowledged.set(messageId, acknowledged.get(messageId) === true || status === 200);
  }
  return [...acknowledged.values()].filter((isAcknowledged) => !isAcknowledged).length;
};

/** Waits until an item exists and can be read as wanted. */
const itemOf = <View>(
  client: LocalClient,
  what: string,
  { pk, sk }: ItemKey,
  read: (item: Item) => View | undefined,
): Promise<View> =>
  waitFor(what, async () => {
    const item = (await client.table())[`${pk} ${sk}`];
    return item && read(item);
  });

const messageWith = (client: LocalClient, id: string, name: 'direction' | 'deliveredAt' | 'readAt') =>
  itemOf(client, `message ${id} has ${name}`, messageKey(id), (item) => {
    const [message, contact] = [parseMessage(item), parseContactName(item.contact)];
    return contact && message[name] !== undefined ? { ...message, contact } : undefined;
  });

const sendIn = (client: LocalClient, requestId: string, state: SendState): Promise<SendRecord> =>
  itemOf(client, `send ${requestId} is ${state}`, sendKey(requestId), (item) => {
    const send = parseSend(item);
    return send.state === state ? send : undefined;
  });

const check = (holds: boolean, expectation: string): void => {
  if (!holds) throw new LocalError(`The demo failed. Expected: ${expectation}.`);
};
