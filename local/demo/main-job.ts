import { isDeepStrictEqual } from 'node:util';
import type { LocalClient, TableItem } from '../local-client.ts';
import type { LocalCloud } from '../local-cloud.ts';
import { LocalError } from '../local-error.ts';
import { waitFor } from './wait-for.ts';

/** A step of the demo: it says what it sees, and throws a LocalError when that is not what should be. */
export interface DemoStep {
  readonly title: string;
  readonly play: (stage: DemoStage) => Promise<void>;
}

export interface DemoStage {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
  readonly say: (who: string, what: string) => void;
}

const USER = '+5491155550000';
const TEMPLATE = { ruleNameOrId: 'parcel_update', params: { name: 'Ana' } };
const TEXT = 'Your parcel is on its way.';

/** The main job, from the user's first word to a second delivery of every event. */
export const MAIN_JOB: readonly DemoStep[] = [
  {
    title: 'The user writes; the event is verified and stored',
    async play({ client, say }) {
      const id = await client.userWrites(USER, { text: 'Where is my parcel?' });
      say('user', `${USER} writes “Where is my parcel?”`);
      await sayDelivery({ client, say }, id);
      const message = await messageWith(client, id, 'direction');
      say('table', `${message.pk}: ${message.direction}, “${message.text}”, contact ${message.contact}`);
      const contact = await itemOf(client, String(message.contact), 'CONTACT');
      say('table', `${contact.pk}: the window is open, counted from ${contact.lastInboundAt}`);
    },
  },
  {
    title: 'A request within the window goes out by message/v3',
    async play(stage) {
      await sendAndShow(stage, { requestId: 'parcel-1', platformContactId: USER, messageText: TEXT }, 'message/v3');
    },
  },
  {
    title: 'Delivered, then Read',
    async play({ client, say }) {
      const { messageId } = await sendOf(client, 'parcel-1', 'accepted');
      const delivered = await messageWith(client, String(messageId), 'deliveredAt');
      say('table', `${delivered.pk}: Delivered at ${delivered.deliveredAt}`);
      await client.userReads(USER);
      say('user', `${USER} reads it`);
      const read = await messageWith(client, String(messageId), 'readAt');
      say('table', `${read.pk}: Read at ${read.readAt}, and still Delivered at ${read.deliveredAt}`);
    },
  },
  {
    title: 'The clock moves 25 hours; the same request with a template goes out by intent/v2',
    async play(stage) {
      const { client, cloud, say } = stage;
      const text = 'Hi ${name}, your parcel is on its way.';
      await client.putRule('parcel_update', { text, category: 'shipping-status' });
      await client.advanceClock(25 * 60 * 60);
      say('clock', `it is ${cloud.clock.now().toISOString()}`);
      const request = {
        requestId: 'parcel-2',
        reason: 'shipping-status',
        platformContactId: USER,
        messageText: TEXT,
        ...TEMPLATE,
      };
      await sendAndShow(stage, request, 'intent/v2');
    },
  },
  {
    title: 'A request with no template is refused: WINDOW_CLOSED',
    async play({ client, say }) {
      const before = (await client.outbox()).length;
      await client.enqueue({ requestId: 'parcel-3', platformContactId: USER, messageText: TEXT });
      say('queue', 'request parcel-3: free-form alone');
      const send = await sendOf(client, 'parcel-3', 'refused');
      say('table', `${send.pk}: ${send.state}, ${send.code}. ${send.why}`);
      expect(send.code === 'WINDOW_CLOSED', 'the request is refused as WINDOW_CLOSED');
      expect((await client.outbox()).length === before, 'nothing more went out');
    },
  },
  {
    title: 'A post without a signature gets 401 and leaves no trace',
    async play({ client, cloud, say }) {
      const before = await client.table();
      const response = await fetch(cloud.webhookUrl, { method: 'POST', body: '{"_id_":"forged","FROM":"me"}' });
      say('webhook', `answered ${response.status}`);
      expect(response.status === 401, 'the answer is 401');
      expect(isDeepStrictEqual(await client.table(), before), 'the table is as before');
    },
  },
  {
    title: 'Each event posted twice changes nothing',
    async play({ client, say }) {
      await waitFor('every event is acknowledged', async () =>
        (await unacknowledged(client)) === 0 ? true : undefined,
      );
      const before = await client.table();
      const events = new Map((await client.deliveries()).map(({ messageId, event }) => [messageId, event]));
      for (const event of events.values()) await client.deliverEvent(event);
      await waitFor('every event is acknowledged again', async () =>
        (await client.deliveries()).length >= 2 * events.size && (await unacknowledged(client)) === 0
          ? true
          : undefined,
      );
      say('carrier', `${events.size} events delivered again, each acknowledged`);
      const after = await client.table();
      expect(isDeepStrictEqual(after, before), 'the table is as before');
      say('table', `${Object.keys(after).length} items, the same as before`);
      say('outbox', `${(await client.outbox()).length} messages, the same as before`);
    },
  },
  {
    title: 'Other systems have heard of it on the bus, each thing once',
    async play({ cloud, say }) {
      await waitFor('everything is told', async () =>
        Object.entries(TOLD).every(([name, count]) => (toldSoFar(cloud)[name] ?? 0) >= count) ? true : undefined,
      );
      const told = toldSoFar(cloud);
      say(
        'bus',
        Object.entries(told)
          .map(([name, count]) => `${count} ${name}`)
          .join(', '),
      );
      expect(isDeepStrictEqual(told, TOLD), `the bus has ${JSON.stringify(TOLD)}`);
    },
  },
];

/** The events of the main job, so many of each; those of step 7 told nothing. */
const TOLD = { MessageReceived: 1, SendAccepted: 2, SendRefused: 1, MessageDelivered: 2, MessageRead: 1 };

/** How many of each the bus has, repeats dropped by their ids as a consumer does. */
const toldSoFar = ({ emulators, eventBusName }: LocalCloud): Record<string, number> => {
  const events = new Map(emulators.buses.events(eventBusName).map((event) => [Object(event.detail).id, event]));
  const byName = Object.groupBy(events.values(), (event) => event['detail-type']);
  return Object.fromEntries(Object.entries(byName).map(([name, told = []]) => [name, told.length]));
};

const sendAndShow = async (
  { client, say }: DemoStage,
  request: { readonly requestId: string; readonly platformContactId: string } & Record<string, unknown>,
  endpoint: string,
): Promise<void> => {
  await client.enqueue(request);
  const kinds = ['messageText', 'ruleNameOrId'].filter((field) => field in request).join(' and ');
  say('queue', `request ${request.requestId}: ${kinds}`);
  const send = await sendOf(client, request.requestId, 'accepted');
  say('table', `${send.pk}: ${send.state}. ${send.why}`);
  const sent = (await client.outbox()).find(({ id }) => id === send.messageId);
  expect(sent?.endpoint === endpoint, `the outbox holds it by ${endpoint}`);
  say('outbox', `${endpoint} to ${sent?.body.platformContactId}, id ${send.messageId}`);
};

const sayDelivery = async ({ client, say }: Pick<DemoStage, 'client' | 'say'>, id: string): Promise<void> => {
  const delivery = await waitFor('the event is delivered', async () =>
    (await client.deliveries()).find(({ event, status }) => idOf(event) === id && status !== null),
  );
  say('webhook', `POST, signed: answered ${delivery.status} at attempt ${delivery.attempt}`);
  expect(delivery.status === 200, 'the webhook answers 200');
};

const idOf = (event: unknown): unknown =>
  typeof event === 'object' && event !== null && '_id_' in event ? event._id_ : undefined;

const unacknowledged = async (client: LocalClient): Promise<number> => {
  const acknowledged = new Map<string, boolean>();
  for (const { messageId, status } of await client.deliveries()) {
    acknowledged.set(messageId, acknowledged.get(messageId) === true || status === 200);
  }
  return [...acknowledged.values()].filter((is) => !is).length;
};

const itemOf = (client: LocalClient, pk: string, sk: string): Promise<TableItem> =>
  waitFor(`${pk} stands in the table`, async () => (await client.table())[`${pk} ${sk}`]);

const messageWith = (client: LocalClient, id: string, attribute: string): Promise<TableItem> =>
  waitFor(`message ${id} has ${attribute}`, async () => {
    const item = (await client.table())[`MESSAGE#${id} MESSAGE`];
    return item?.[attribute] === undefined ? undefined : item;
  });

const sendOf = (client: LocalClient, requestId: string, state: string): Promise<TableItem> =>
  waitFor(`send ${requestId} is ${state}`, async () => {
    const item = (await client.table())[`SEND#${requestId} SEND`];
    return item?.state === state ? item : undefined;
  });

const expect = (holds: boolean, what: string): void => {
  if (!holds) throw new LocalError(`This should hold and does not: ${what}.`);
};
