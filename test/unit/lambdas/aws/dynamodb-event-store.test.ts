import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbEventStore } from '../../../../lambdas/aws/dynamodb-event-store.ts';
import { createStoreEvent, type StoreEvent } from '../../../../lambdas/receive/store-event.ts';
import { NOW, wireMessage, wireStatus } from '../../../support/builders.ts';
import { type EmulatedTables, startEmulatedTables } from './emulated-table.ts';

const CONTACT = 'CONTACT#chat#*#541155550000';

let tables: EmulatedTables;
let tableName: string;
let storeEvent: StoreEvent;

beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  tableName = await tables.createTable();
  const store = createDynamodbEventStore({ client: tables.client, tableName, retentionDays: 400, budgetMs: 10_000 });
  storeEvent = createStoreEvent({ store, defaultPlatform: 'chat', windowPer: 'user' });
});

const receive = (wire: unknown) => storeEvent({ rawBody: Buffer.from(JSON.stringify(wire)), receivedAt: NOW });
const items = () => tables.items(tableName);

describe('an inbound message', () => {
  it('is kept with its body, and opens its contact’s window', async () => {
    const wire = wireMessage({ TAGS: ['new'], IMAGES_URLS: ['https://media.example/1.jpg'] });
    await receive(wire);
    expect(await items()).toEqual({
      'MESSAGE#message-1 MESSAGE': {
        pk: 'MESSAGE#message-1',
        sk: 'MESSAGE',
        direction: 'inbound',
        contact: CONTACT,
        text: 'Where is my parcel?',
        media: { images: ['https://media.example/1.jpg'] },
        createdAt: '2026-11-20T11:00:00.000Z',
        createdAtSource: 'event',
        body: JSON.stringify(wire),
        expiresAt: Date.parse('2027-12-25T11:00:00.000Z') / 1000,
      },
      [`${CONTACT} CONTACT`]: {
        pk: CONTACT,
        sk: 'CONTACT',
        lastInboundAt: '2026-11-20T11:00:00.000Z',
        lastInboundId: 'message-1',
        lastInboundDigest: expect.any(String),
        address: '5491155550000',
        name: 'Ana',
        customerId: 'customer-1',
      },
    });
  });

  it('moves the window forward, never back', async () => {
    await receive(wireMessage({ _id_: 'late', CREATION_TIME: '2026-11-20T11:30:00.000Z' }));
    await receive(wireMessage({ _id_: 'early', CREATION_TIME: '2026-11-14T11:00:00.000Z' }));
    expect(await items()).toMatchObject({
      [`${CONTACT} CONTACT`]: { lastInboundAt: '2026-11-20T11:30:00.000Z' },
      'MESSAGE#early MESSAGE': { createdAt: '2026-11-14T11:00:00.000Z' },
    });
  });

  it('too large for a table item is unstorable, and its contact’s window opens all the same', async () => {
    const stored = await receive(wireMessage({ MESSAGE: 'x'.repeat(410_000) }));
    expect(stored).toEqual({ kind: 'unstorable', reason: expect.stringContaining('ValidationException') });
    expect(Object.keys(await items())).toEqual([`${CONTACT} CONTACT`]);
  });
});

describe('an echo', () => {
  it('is kept beside the message of its id, and opens no window', async () => {
    await receive(wireMessage({ FROM: 'me', TO: '5491155550000' }));
    expect(await items()).toEqual({
      'MESSAGE#message-1 ECHO': expect.objectContaining({ direction: 'echo', contact: CONTACT }),
    });
  });
});

describe('the statuses of one message', () => {
  it('are all kept, each with its own time', async () => {
    await receive(wireMessage());
    await receive(wireStatus({ STATUS: 'read', CREATION_TIME: '2026-11-20T11:09:00.000Z' }));
    await receive(wireStatus({ STATUS: 'delivered', CREATION_TIME: '2026-11-20T11:05:00.000Z' }));
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      text: 'Where is my parcel?',
      deliveredAt: '2026-11-20T11:05:00.000Z',
      readAt: '2026-11-20T11:09:00.000Z',
    });
  });

  it('may come before the message', async () => {
    await receive(wireStatus());
    await receive(wireMessage());
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      text: 'Where is my parcel?',
      deliveredAt: '2026-11-20T11:00:05.000Z',
      expiresAt: Date.parse('2027-12-25T11:00:00.000Z') / 1000,
    });
  });

  it('keep a failure’s body, and literals that we do not know', async () => {
    await receive(wireStatus({ STATUS: 'failed', DETAIL: 'blocked' }));
    await receive(wireStatus({ STATUS: 'played' }));
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      failedAt: '2026-11-20T11:00:05.000Z',
      failedBody: expect.stringContaining('blocked'),
      otherStatuses: new Set(['played 2026-11-20T11:00:05.000Z']),
    });
  });
});

describe('a table out of reach', () => {
  it('is said so within the budget, as a value', async () => {
    const store = createDynamodbEventStore({
      client: tables.client,
      tableName: 'no-such-table',
      retentionDays: 1,
      budgetMs: 5_000,
    });
    const stored = await createStoreEvent({ store, defaultPlatform: 'chat', windowPer: 'user' })({
      rawBody: Buffer.from(JSON.stringify(wireMessage())),
      receivedAt: NOW,
    });
    expect(stored).toEqual({ kind: 'unreachable', reason: expect.stringContaining('ResourceNotFoundException') });
  });
});
