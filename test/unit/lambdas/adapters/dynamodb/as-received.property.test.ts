import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { NOW, USER, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import type { Item } from '../../../../support/emulated-table.ts';
import { contact } from './message-builders.ts';
import { repositoriesOf } from './repositories.ts';

const tables = contractTables();

type WireEvent = Readonly<Record<string, unknown>>;

const DAY_MS = 24 * 60 * 60 * 1000;
const time = fc.constantFrom('2026-11-20T10:00:00.000Z', '2026-11-20T10:01:00.000Z');
const noUsableTime = fc.constantFrom(undefined, null, 'yesterday', 1795);
const literal = fc.constantFrom('sent', 'delivered', 'READ', 'failed', 'error', 'played', 'received');
const urls = fc.constantFrom([], undefined, ['https://media.example/1']);
/** Fields that the contract does not list. */
const more = fc.dictionary(
  fc.constantFrom('BUSINESS_ID', 'QUEUE', 'TAGS', 'REACTIONS', 'LAST_MODIFICATION', 'ERROR'),
  fc.jsonValue({ maxDepth: 2 }),
);
const content = fc.record({
  MESSAGE: fc.constantFrom('one', 'two', '', undefined),
  IMAGES_URLS: urls,
  AUDIOS_URLS: urls,
  FILES_URLS: urls,
  VIDEOS_URLS: urls,
});

/** Events whose time is drawn from `anyTime`. Several can share an ID: versions of a message, its echo, and statuses. */
const histories = (anyTime: fc.Arbitrary<unknown>) => {
  const message = fc
    .tuple(content, more, anyTime, fc.constantFrom('5491155550000', 'me'))
    .map(([fields, others, CREATION_TIME, FROM]) =>
      wireMessage({ ...others, ...fields, CREATION_TIME, FROM, ...(FROM === 'me' && { TO: USER }) }),
    );
  const status = fc
    .tuple(
      fc.oneof(fc.constant({}), content),
      more,
      anyTime,
      literal,
      fc.constantFrom('5491155550000', 'me', undefined),
    )
    .map(([fields, others, CREATION_TIME, STATUS, FROM]) =>
      wireStatus({ ...others, ...fields, CREATION_TIME, STATUS, FROM, ...(FROM === 'me' && { TO: USER }) }),
    );
  return fc
    .array(fc.tuple(fc.oneof(message, status), fc.nat(5)), { minLength: 1, maxLength: 6 })
    .map((events) => events.map(([event, id]): WireEvent => ({ ...event, _id_: `m-${id}` })));
};

/** Stores the events one after another. `daysLate` says when each arrives. */
const store = async (events: readonly (readonly [WireEvent, number])[]): Promise<Record<string, Item>> => {
  const tableName = await tables.createTable();
  const { storeEvent } = repositoriesOf(tables.tableOf(tableName));
  for (const [event, daysLate] of events) {
    const request = { rawBody: Buffer.from(JSON.stringify(event)), receivedAt: addMs(NOW, daysLate * DAY_MS) };
    expect(await storeEvent(request)).toMatchObject({ kind: 'stored' });
  }
  return tables.items(tableName);
};

const textsIn = (items: Record<string, Item>): ReadonlySet<unknown> =>
  new Set(
    Object.values(items)
      .flatMap((item) => Object.values(item))
      .flatMap((value) => (value instanceof Set ? [...value] : [value])),
  );

describe('a history of events', () => {
  it('is in the table as received: each field of each event', async () => {
    await fc.assert(
      fc.asyncProperty(histories(fc.oneof(time, noUsableTime)), async (events) => {
        const texts = textsIn(await store(events.map((event) => [event, 0])));
        for (const event of events) expect(texts).toContain(JSON.stringify(event));
      }),
      { numRuns: 50 },
    );
  }, 120_000);

  it('is in the conversation with every text and medium, beside a status or not', async () => {
    await fc.assert(
      fc.asyncProperty(histories(time), async (events) => {
        const tableName = await tables.createTable();
        const { storeEvent, messages } = repositoriesOf(tables.tableOf(tableName));
        const distinct = events.map((event, index) => ({ ...event, _id_: `m-${index}` }) as WireEvent);
        for (const event of distinct) {
          await storeEvent({ rawBody: Buffer.from(JSON.stringify(event)), receivedAt: NOW });
        }
        const conversation = await messages.readConversation([{ subject: contact }], { limit: 100 });
        const shown = new Map(conversation.messages.map((message) => [message.id, message]));
        for (const { _id_, FROM, MESSAGE, IMAGES_URLS } of distinct) {
          if (FROM === undefined) continue;
          if (MESSAGE) expect(shown.get(String(_id_))).toMatchObject({ text: MESSAGE });
          if (Array.isArray(IMAGES_URLS) && IMAGES_URLS.length > 0) {
            expect(shown.get(String(_id_))).toMatchObject({ media: { images: IMAGES_URLS } });
          }
        }
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  it('leaves the same table when events are repeated days later, even those without a usable time', async () => {
    const repetition = fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 7 }));
    await fc.assert(
      fc.asyncProperty(
        histories(fc.oneof(time, noUsableTime)),
        fc.array(repetition, { minLength: 1, maxLength: 6 }),
        async (events, repetitions) => {
          const once = events.map((event): [WireEvent, number] => [event, 0]);
          const again = repetitions.flatMap(([index, days]): [WireEvent, number][] => {
            const event = events[index % events.length];
            return event === undefined ? [] : [[event, days]];
          });
          expect(await store([...once, ...again])).toEqual(await store(once));
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);
});
