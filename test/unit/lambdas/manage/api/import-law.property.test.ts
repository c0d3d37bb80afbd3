import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDynamodbAudit } from '../../../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbContacts } from '../../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbGaps } from '../../../../../lambdas/adapters/dynamodb/gaps.ts';
import { createDynamodbMessages } from '../../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../../../lambdas/adapters/dynamodb/sends.ts';
import { createDynamodbStoredEvents } from '../../../../../lambdas/adapters/dynamodb/stored-events.ts';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { BusEvent } from '../../../../../lambdas/domain/events/event-details.ts';
import { itemEvents } from '../../../../../lambdas/domain/events/item-events.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import type { Echo, InboundMessage } from '../../../../../lambdas/domain/webhook-event.ts';
import { type ImportPorts, importEvents } from '../../../../../lambdas/manage/api/imports.ts';
import type { StoredEvent } from '../../../../../lambdas/ports.ts';
import { createStoreEvents } from '../../../../../lambdas/receive/store-events.ts';
import { systemRandomness } from '../../../../../lambdas/runtime/system.ts';
import type { Item } from '../../../../../lambdas/table/item.ts';
import { readItemChange } from '../../../../../lambdas/table/item-changes.ts';
import { createSimulatedTable, createTableState, type ItemWrite } from '../../../../simulation/world/table.ts';
import { NOW, PLAIN_RECEIVER } from '../../../../support/builders.ts';
import { OPERATOR } from '../managed-stage.ts';

// The law of an import: a week with a hole of six hours, imported, equals the table of a week without the hole.

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 24 * 60;
const HOLE_MINUTES = 6 * 60;
const USERS = ['+5491150000001', '+5491150000002'];
const MEANINGS = {
  keywords: { optOut: ['STOP'], optIn: ['START'] },
  operatorEchoes: { senders: ['agent'], handoverMinutes: 60 },
};

/** Something that was written, as the service keeps it. */
interface Written {
  /** Minutes before now. */
  readonly minute: number;
  readonly user: string;
  readonly from: 'user' | 'bot' | 'agent';
  readonly text: string;
}

interface Week {
  readonly written: readonly Written[];
  /** When the hole starts, in minutes before now. */
  readonly hole: number;
  readonly format: keyof typeof ENTRIES;
  /** In which order everything is delivered or imported. */
  readonly order: readonly number[];
  /** After how many deliveries the history is imported for the first time. */
  readonly importAfter: number;
  /** How many writes of the first import succeed before the function dies. */
  readonly killAfter: number;
  /** How many writes of the first delivery succeed before the function dies, which is posted once. */
  readonly killDeliveryAfter: number;
  /** Whether what is in the hole is delivered in the end, for example because an operator redrives it. */
  readonly isDeliveredLate: boolean;
}

const idOf = ({ minute }: Written) => `MSG${String(minute).padStart(17, '0')}`;
const timeOf = ({ minute }: Written) => addMs(NOW, -minute * MINUTE_MS);
const customerOf = ({ user }: Written) => `CUST${user.slice(1)}`;

const webhookPost = (one: Written) => ({
  v: '1.1',
  type: 'message',
  chatPlatform: 'whatsapp',
  contactId: one.user,
  customerId: customerOf(one),
  messages: [{ _id: idOf(one), date: timeOf(one), message: one.text, from: one.from }],
});

type Entry = Record<string, unknown>;

/** How each format writes an entry. */
const ENTRIES: Readonly<Record<'webhook' | 'v2-messages' | 'message-download', (one: Written) => Entry>> = {
  webhook: webhookPost,
  'v2-messages': (one: Written) => ({
    id: idOf(one),
    creationTime: timeOf(one),
    from: one.from,
    chat: { chatId: customerOf(one), channelId: 'acme-whatsapp-5491100000000', contactId: one.user },
    content: { type: 'text', text: one.text },
  }),
  'message-download': (one: Written) => ({
    _id_: idOf(one),
    chat_platform: 'whatsapp',
    customer_id: customerOf(one),
    creation_time: timeOf(one),
    msg_from: one.from === 'user' ? one.user : one.from === 'bot' ? 'bot' : 'me',
    msg_to: one.from === 'user' ? 'me' : one.user,
    message: one.text,
  }),
};

/** An entry without a time, which must not be stored: nobody knows when its window was open. */
const TIMELESS: Readonly<Record<Week['format'], Entry>> = {
  'v2-messages': { id: 'TIMELESS', from: 'user', creationTime: '', chat: { contactId: USERS[0] }, content: {} },
  'message-download': { _id_: 'TIMELESS', msg_from: USERS[0], msg_to: 'me', message: 'START' },
  webhook: {
    ...webhookPost({ minute: 0, user: '+5491150000001', from: 'user', text: 'START' }),
    messages: [{ _id: 'TIMELESS', from: 'user', message: 'START' }],
  },
};

const week: fc.Arbitrary<Week> = fc
  .record({
    written: fc.uniqueArray(
      fc.record({
        minute: fc.integer({ min: 1, max: WEEK_MINUTES }),
        user: fc.constantFrom(...USERS),
        from: fc.constantFrom('user' as const, 'user' as const, 'bot' as const, 'agent' as const),
        text: fc.constantFrom('Hi', 'STOP', 'START', 'stop', 'Where is it?'),
      }),
      { selector: ({ minute }) => minute, minLength: 4, maxLength: 14 },
    ),
    // The hole starts just before one of them.
    holeAt: fc.nat({ max: 13 }),
    format: fc.constantFrom('webhook' as const, 'v2-messages' as const, 'message-download' as const),
    order: fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
    importAfter: fc.nat({ max: 14 }),
    killAfter: fc.nat({ max: 8 }),
    killDeliveryAfter: fc.nat({ max: 4 }),
    isDeliveredLate: fc.boolean(),
  })
  .map(({ written, holeAt, ...rest }) => ({
    ...rest,
    written: written.map((one) =>
      // The format has no operators.
      rest.format === 'message-download' && one.from === 'agent' ? { ...one, from: 'bot' as const } : one,
    ),
    hole: (written[holeAt % written.length]?.minute ?? 1) + 5,
  }));

const isInHole = ({ hole }: Week, { minute }: Written) => minute <= hole && minute > hole - HOLE_MINUTES;

type Repositories = Pick<ImportPorts, 'contacts' | 'messages' | 'sends' | 'storedEvents'>;

/** A way to break the import. */
interface Defect {
  readonly ports?: (repositories: Repositories) => Partial<Repositories>;
  readonly entry?: (entry: Record<string, unknown>) => Record<string, unknown>;
  readonly meanings?: ImportPorts['eventMeanings'];
}

/** A table with the functions that receive and import. */
const createStage = (defect: Defect) => {
  const writes: ItemWrite[] = [];
  const state = createTableState((write) => void writes.push(write));
  let left = Number.POSITIVE_INFINITY;
  const table = createSimulatedTable(state, async (label, perform) => {
    if (/update|write/i.test(label) && --left < 0) throw new Error('killed');
    return perform();
  });
  const repositories: Repositories = {
    contacts: createDynamodbContacts(table, { readsHandovers: false }),
    messages: createDynamodbMessages(table, { gapClock: undefined }),
    sends: createDynamodbSends(table),
    storedEvents: createDynamodbStoredEvents(table),
  };
  const clock = { now: () => NOW };
  const settings = { clock, chatPlatform: 'whatsapp', windowPer: 'user' as const, chatChannelNumber: '+5491100000000' };
  const receiver = { ...settings, ...MEANINGS, repositories: () => repositories, budgetMs: ms(60_000) };
  const ports: ImportPorts = {
    ...repositories,
    ...defect.ports?.(repositories),
    clock,
    audit: createDynamodbAudit(table, systemRandomness),
    gaps: createDynamodbGaps(table),
    watches: false,
    contactDefaults: { ...settings, chatChannelNumber: '+5491100000000' },
    eventMeanings: defect.meanings ?? MEANINGS,
  };
  return {
    state,
    writes,
    async deliver(one: Written, killAfter = Number.POSITIVE_INFINITY) {
      left = killAfter;
      const rawBody = Buffer.from(JSON.stringify(webhookPost(one)));
      const [result] = await createStoreEvents({ ...PLAIN_RECEIVER, ...receiver })({ rawBody, receivedAt: NOW });
      const isKilled = left < 0;
      left = Number.POSITIVE_INFINITY;
      expect(result?.kind).toBe(isKilled ? 'unavailable' : 'stored');
      return isKilled;
    },
    async import(entries: readonly Record<string, unknown>[], killAfter = Number.POSITIVE_INFINITY) {
      left = killAfter;
      const body = JSON.stringify({ entries: entries.map((entry) => defect.entry?.(entry) ?? entry) });
      const call = { caller: OPERATOR, id: '', query: {}, bodyText: body };
      const answer = await importEvents.respond(ports, call).catch((error: Error) => error.message);
      left = Number.POSITIVE_INFINITY;
      if (answer === 'killed') return;
      expect(answer).toMatchObject({ status: 200 });
    },
  };
};

type Stage = ReturnType<typeof createStage>;

const ordered = <One>(list: readonly One[], order: readonly number[]): readonly One[] =>
  list
    .map((one, index) => ({ one, rank: order[index] ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);

/** Plays the week with its hole and its import. */
const playHealed = async (given: Week, stage: Stage): Promise<void> => {
  const { written, format, order, importAfter, killAfter, killDeliveryAfter, isDeliveredLate } = given;
  const delivered = ordered(written, order).filter((one) => !isInHole(given, one));
  const entries = [...ordered(written, order.toReversed()).map(ENTRIES[format]), TIMELESS[format]];
  const deliver = (one: Written) => stage.deliver(one, one === delivered[0] ? killDeliveryAfter : undefined);
  for (const one of delivered.slice(0, importAfter)) await deliver(one);
  await stage.import(entries, killAfter);
  for (const one of delivered.slice(importAfter)) await deliver(one);
  await stage.import(entries);
  await stage.import(entries);
  if (isDeliveredLate) for (const one of written) await stage.deliver(one);
};

/** What a history does not say in the same words as the webhook, and the mark of an import. */
const INCOMPARABLE = ['isImported', 'lastInboundDigest'];
const wordsOf = (format: Week['format']) => [...INCOMPARABLE, ...(format === 'webhook' ? [] : ['body'])];

const tableOf = ({ state }: Stage, without: readonly string[]): Record<string, Item> =>
  Object.fromEntries(
    [...state.items]
      .filter(([name]) => !name.startsWith('AUDIT#'))
      .map(([name, item]) => [
        name,
        Object.fromEntries(Object.entries(item).filter(([key]) => !without.includes(key))),
      ]),
  );

const publishedBy = ({ writes }: Stage): readonly BusEvent[] =>
  writes.flatMap(({ before, after }) => {
    const image = (item: Item) => marshall(item, { removeUndefinedValues: true });
    const images = { ...(before && { OldImage: image(before) }), ...(after && { NewImage: image(after) }) };
    const dynamodb = { ApproximateCreationDateTime: Date.parse(NOW) / 1000, ...images };
    const change = readItemChange({ eventName: 'MODIFY', dynamodb });
    return change === undefined ? [] : itemEvents(change);
  });

/** The arrivals that were published: the IDs of their messages, and whether they were imported. */
const arrivalsOf = (stage: Stage) =>
  publishedBy(stage)
    .flatMap(({ name, detail }) =>
      name === 'MessageReceived' || name === 'MessageEchoed' ? [{ name, id: detail.messageId, detail }] : [],
    )
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));

const check = async (given: Week, defect: Defect = {}): Promise<void> => {
  const [whole, healed] = [createStage({}), createStage(defect)];
  for (const one of given.written) await whole.deliver(one);
  await playHealed(given, healed);

  const without = given.isDeliveredLate ? INCOMPARABLE : wordsOf(given.format);
  expect(tableOf(healed, without)).toEqual(tableOf(whole, without));
  if (given.isDeliveredLate) {
    expect([...healed.state.items.values()].filter(({ isImported }) => isImported !== undefined)).toEqual([]);
  }
  const published = Map.groupBy(arrivalsOf(healed), ({ name, id }) => `${name} ${id}`);
  expect([...published.keys()]).toEqual(arrivalsOf(whole).map(({ name, id }) => `${name} ${id}`));
  const inHole = new Set(given.written.filter((one) => isInHole(given, one)).map(idOf));
  for (const [arrival, events] of published) {
    const [name, id = ''] = arrival.split(' ');
    const marks = events.map(({ detail }) => detail.imported === true);
    if (inHole.has(id)) expect([arrival, marks[0]]).toEqual([arrival, true]);
    expect(new Set(events.map(({ detail }) => detail.id)).size).toBe(events.length);
    if (name !== 'MessageReceived') continue;
    // Systems answer only what has no mark: a user's message once, if the service has delivered it.
    const isDelivered = healed.state.get({ pk: `MESSAGE#${id}`, sk: 'MESSAGE' })?.isImported === undefined;
    expect([arrival, marks.filter((mark) => !mark)]).toEqual([arrival, isDelivered ? [false] : []]);
  }
};

const asUser = (echo: Echo): InboundMessage | undefined =>
  echo.contact && { ...echo, kind: 'message', contact: echo.contact, opensWindow: true, address: USERS[0] ?? '' };

/** Nothing is written of an event that is stored already. */
const takenAsComplete = (complete: StoredEvent, { storedEvents }: Repositories): Partial<Repositories> => ({
  storedEvents: {
    read: async (events) =>
      (await storedEvents.read(events)).map((stored) => (stored === complete ? 'delivered-for-another' : stored)),
  },
});

const DEFECTS: Readonly<Record<string, Defect>> = {
  'a window is opened by the time of the import': {
    ports: ({ contacts }) => ({
      contacts: {
        ...contacts,
        openWindow: (event) => contacts.openWindow({ ...event, time: { ...event.time, at: NOW } }),
      },
    }),
  },
  'an opt-out is lifted by an older opt-in': {
    ports: ({ contacts }) => ({
      contacts: {
        ...contacts,
        recordConsent: (contact, consent) =>
          contacts.recordConsent(contact, consent.kind === 'opt-in' ? { ...consent, at: NOW, ownAt: NOW } : consent),
      },
    }),
  },
  'a message is doubled under another form of its ID': {
    ports: ({ messages, storedEvents }) => ({
      messages: {
        ...messages,
        recordInbound: (event, turn) => messages.recordInbound({ ...event, id: event.id.toLowerCase() }, turn),
        recordEcho: (event) => messages.recordEcho({ ...event, id: event.id.toLowerCase() }),
      },
      storedEvents: {
        read: (events) => storedEvents.read(events.map((event) => ({ ...event, id: event.id.toLowerCase() }))),
      },
    }),
  },
  'a message of the business is taken as one of the user': {
    ports: ({ messages, contacts }) => ({
      messages: {
        ...messages,
        async recordEcho(echo) {
          const message = asUser(echo);
          if (message !== undefined) await contacts.openWindow(message);
          return messages.recordEcho(echo);
        },
      },
    }),
  },
  'an entry without a time is dated by the import': {
    entry: ({ creationTime, creation_time, messages, ...entry }) => ({
      ...entry,
      ...('id' in entry && { creationTime: creationTime || NOW }),
      ...('_id_' in entry && { creation_time: creation_time ?? NOW }),
      ...(Array.isArray(messages) && { messages: messages.map((each) => ({ date: NOW, ...each })) }),
    }),
  },
  'keywords are not read': { meanings: { ...MEANINGS, keywords: undefined } },
  'a message of the import replaces what was delivered': {
    ports: ({ messages, storedEvents }) => ({
      messages: {
        ...messages,
        recordInbound: ({ isImported: _mark, ...event }, turn) =>
          messages.recordInbound({ ...event, body: ` ${event.body}` }, turn),
      },
      storedEvents: { read: async (events) => (await storedEvents.read(events)).map(() => 'imported' as const) },
    }),
  },
  'an interrupted import is taken as complete': { ports: (repositories) => takenAsComplete('imported', repositories) },
  'an interrupted delivery is taken as complete': {
    ports: (repositories) => takenAsComplete('delivered', repositories),
  },
};

describe('a week with a hole of six hours, imported', () => {
  it('equals the table without the hole', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(week, (given) => check(given)),
      { numRuns: 300 },
    );
  });

  it.each(Object.entries(DEFECTS))('does not, if %s', { timeout: 120_000 }, async (_name, defect) => {
    const found = await fc.check(
      fc.asyncProperty(week, (given) => check(given, defect)),
      { numRuns: 300, seed: 1, endOnFailure: true },
    );

    expect(found.failed).toBe(true);
  });
});
