import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamodbEventStore } from '../../../../lambdas/aws/dynamodb-event-store.ts';
import { createDynamodbSendStore } from '../../../../lambdas/aws/dynamodb-send-store.ts';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { createStoreEvent } from '../../../../lambdas/receive/store-event.ts';
import { ACCOUNT, NOW, USER, wireMessage, wireStatus } from '../../../support/builders.ts';
import { type EmulatedTables, type Item, startEmulatedTables } from './emulated-table.ts';

let tables: EmulatedTables;
beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());

/** An event in its carrier's envelope, which counts where the event has no time of its own. */
const wrapped = (event: Record<string, unknown>, publishTime: string) => ({
  message: { data: Buffer.from(JSON.stringify(event)).toString('base64'), messageId: publishTime, publishTime },
});

/** One thing that happens: an event arrives, or a send of ours is recorded in the conversation. */
type Happening = Record<string, unknown> | 'outbound';

/** Plays a history against a new table; answers what stands there in the end. */
const play = async (history: readonly Happening[]): Promise<Record<string, Item>> => {
  const tableName = await tables.createTable();
  const { client } = tables;
  const store = createDynamodbEventStore({ client, tableName, retentionDays: 400, budgetMs: 10_000 });
  const sends = createDynamodbSendStore({ client, tableName, retentionDays: 400, account: ACCOUNT });
  const storeEvent = createStoreEvent({ store, defaultPlatform: 'chat', windowPer: 'user' });
  let lateDays = history.length;
  for (const happening of history) {
    if (happening === 'outbound') {
      await sends.recordOutbound({
        id: 'message-out',
        requestId: 'request-1',
        contact: contactRef('chat', USER),
        call: { endpoint: 'message/v3', body: { messageText: 'On its way.' } },
        claimedAt: '2026-11-20T11:30:00.000Z',
      });
    } else {
      // Another arrival in each history: nothing of it may be seen in the table.
      lateDays = (lateDays + 1) % 7;
      const post = { rawBody: Buffer.from(JSON.stringify(happening)), receivedAt: addMs(NOW, lateDays * DAY_MS) };
      expect(await storeEvent(post)).toMatchObject({ kind: 'stored' });
    }
  }
  return withoutOrphansExpiry(await tables.items(tableName));
};

/** A status whose message is not known yet lends its item a life of its own, which the message's arrival replaces. */
const withoutOrphansExpiry = (items: Record<string, Item>): Record<string, Item> => {
  for (const item of Object.values(items)) if (item.createdAt === undefined) delete item.expiresAt;
  return items;
};

const DAY_MS = 24 * 60 * 60 * 1000;
const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
const id = fc.constantFrom('message-1', 'message-out');
const time = fc.integer({ min: 0, max: 1 }).map(at);
const aMessage = fc
  .record({
    _id_: id,
    CREATION_TIME: time,
    MESSAGE: fc.constantFrom('one', 'two', undefined),
    FROM_NAME: fc.constantFrom('Ana', undefined),
  })
  .map((changes) => wireMessage({ ...changes, _id_: `in-${changes._id_}` }));
const anEcho = fc
  .record({ _id_: id, CREATION_TIME: time })
  .map((changes) => wireMessage({ ...changes, FROM: 'me', TO: USER }));
const aStatus = fc
  .record({
    _id_: id,
    CREATION_TIME: time,
    STATUS: fc.constantFrom('delivered', 'READ', 'failed', 'played'),
  })
  .map(wireStatus);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  aMessage,
  fc.tuple(aMessage, time).map(([event, publishTime]) => wrapped({ ...event, CREATION_TIME: undefined }, publishTime)),
  anEcho,
  aStatus,
  aStatus,
  fc.constant<Happening>('outbound'),
);

describe('a history of events', () => {
  it('ends in the same table in any order, with any repetition, however late', async () => {
    const shuffled = fc.array(happening, { minLength: 1, maxLength: 6 }).chain((history) =>
      fc.tuple(
        fc.constant(history),
        fc
          .tuple(fc.shuffledSubarray(history, { minLength: history.length }), fc.subarray(history))
          .chain(([all, again]) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
      ),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, async ([history, otherOrder]) => {
        expect(await play(otherOrder)).toEqual(await play(history));
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});
