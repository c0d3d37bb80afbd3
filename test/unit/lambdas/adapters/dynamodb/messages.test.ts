import { beforeEach, describe, expect, it } from 'vitest';
import { WriteRefusedError } from '../../../../../lambdas/domain/errors.ts';
import { NOW, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { CONTACT, outbound, wireEcho } from './message-builders.ts';
import { createRepositories, type Repositories } from './repositories.ts';

const tables = testTables();
let tableName: string;
let repositories: Repositories;

beforeEach(async () => {
  tableName = await tables.createTable();
  repositories = createRepositories(tables, tableName);
});

const receive = (wire: unknown) =>
  repositories.storeEvent({ rawBody: Buffer.from(JSON.stringify(wire)), receivedAt: NOW });
const items = () => tables.items(tableName);

describe('storing an inbound message', () => {
  it("stores the message with its body and opens its contact's window", async () => {
    const wire = wireMessage({ TAGS: ['new'], IMAGES_URLS: ['https://media.example/1.jpg'] });
    await receive(wire);
    expect(await items()).toEqual({
      'MESSAGE#message-1 MESSAGE': {
        pk: 'MESSAGE#message-1',
        sk: 'MESSAGE',
        direction: 'inbound',
        contact: CONTACT,
        contactSort: 'MESSAGE#2026-11-20T11:00:00.000Z',
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
    expect(await repositories.messages.read('message-1')).toMatchObject({
      text: 'Where is my parcel?',
      media: { images: ['https://media.example/1.jpg'] },
      body: JSON.stringify(wire),
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

  it.each([
    ['first', [0, 1, 2]],
    ['last', [2, 1, 0]],
    ['in between', [1, 0, 2]],
  ])('keeps the earliest version of a message, which arrives %s', async (_case, order) => {
    const versions = [
      wireMessage({ CREATION_TIME: '2026-11-20T11:00:00.000Z', MESSAGE: 'a' }),
      wireMessage({ CREATION_TIME: '2026-11-20T11:00:00.000Z', MESSAGE: 'b' }),
      wireMessage({ CREATION_TIME: '2026-11-20T11:00:01.000Z', MESSAGE: 'A' }),
    ];
    for (const version of order) await receive(versions[version]);
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      createdAt: '2026-11-20T11:00:00.000Z',
      contactSort: 'MESSAGE#2026-11-20T11:00:00.000Z',
      body: JSON.stringify(versions[0]),
    });
  });

  it('refuses a message that is too large for a table item, but still opens the window', async () => {
    const stored = await receive(wireMessage({ MESSAGE: 'x'.repeat(410_000) }));
    expect(stored).toEqual({ kind: 'unstorable', reason: expect.stringContaining('ValidationException') });
    expect(Object.keys(await items())).toEqual([`${CONTACT} CONTACT`]);
  });
});

describe('storing statuses', () => {
  it('stores each with its own time', async () => {
    await receive(wireMessage());
    await receive(wireStatus({ STATUS: 'read', CREATION_TIME: '2026-11-20T11:09:00.000Z' }));
    await receive(wireStatus({ STATUS: 'delivered', CREATION_TIME: '2026-11-20T11:05:00.000Z' }));
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      body: JSON.stringify(wireMessage()),
      deliveredAt: '2026-11-20T11:05:00.000Z',
      readAt: '2026-11-20T11:09:00.000Z',
    });
  });

  it.each(['sent', 'delivered', 'read', 'failed'])('keeps the earliest time of %s', async (STATUS) => {
    for (const second of [5, 4, 6]) {
      await receive(wireStatus({ STATUS, CREATION_TIME: `2026-11-20T11:00:0${second}.000Z` }));
    }
    expect((await items())['MESSAGE#message-1 MESSAGE']).toHaveProperty(`${STATUS}At`, '2026-11-20T11:00:04.000Z');
  });

  it('stores one that arrives before its message', async () => {
    await receive(wireStatus());
    await receive(wireMessage());
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      body: JSON.stringify(wireMessage()),
      deliveredAt: '2026-11-20T11:00:05.000Z',
      expiresAt: Date.parse('2027-12-25T11:00:00.000Z') / 1000,
    });
  });

  it('stores the body of a failure, and literals that Parley does not know', async () => {
    await receive(wireStatus({ STATUS: 'failed', DETAIL: 'blocked' }));
    await receive(wireStatus({ STATUS: 'played' }));
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      failedAt: '2026-11-20T11:00:05.000Z',
      failedBody: expect.stringContaining('blocked'),
      otherStatuses: new Set(['played 2026-11-20T11:00:05.000Z']),
    });
  });
});

describe('a status as large as an item', () => {
  it.each([
    ['failure', { STATUS: 'failed', DETAIL: 'x'.repeat(380_000) }],
    ['literal that Parley does not know', { STATUS: 'x'.repeat(380_000) }],
  ])('is refused for a %s, and leaves room for its message', async (_case, changes) => {
    const refused = await receive(wireStatus(changes));
    expect(refused).toEqual({ kind: 'unstorable', reason: expect.stringContaining('too large') });
    await repositories.messages.recordOutbound(
      outbound({ call: { endpoint: 'message/v3', body: { messageText: 'x'.repeat(128 * 1024) } } }),
    );
    expect(await receive(wireStatus(changes))).toEqual(refused);
  });
});

describe('reading a message', () => {
  it('returns undefined for an unknown id', async () => {
    expect(await repositories.messages.read('message-1')).toBeUndefined();
  });

  it('returns an echo with its body', async () => {
    await receive(wireEcho());
    expect(await repositories.messages.read('message-1')).toMatchObject({
      id: 'message-1',
      direction: 'echo',
      text: 'On its way.',
      body: JSON.stringify(wireEcho()),
    });
  });

  it('returns a message that Parley sent without a body, which an echo beside it does not change', async () => {
    await repositories.messages.recordOutbound(outbound());
    const message = await repositories.messages.read('message-1');
    expect(message).toMatchObject({ direction: 'outbound', requestId: 'request-1', text: 'On its way.' });
    expect(message).not.toHaveProperty('body');
    await receive(wireEcho({ MESSAGE: 'On its way!' }));
    expect(await repositories.messages.read('message-1')).toEqual(message);
  });

  it("returns a user's message with its own body, not that of an echo", async () => {
    await receive(wireEcho());
    await receive(wireMessage());
    expect(await repositories.messages.read('message-1')).toMatchObject({
      direction: 'inbound',
      text: 'Where is my parcel?',
      body: JSON.stringify(wireMessage()),
    });
  });

  it('returns a message that is known only by a status', async () => {
    await receive(wireStatus());
    const message = await repositories.messages.read('message-1');
    expect(JSON.parse(JSON.stringify(message))).toEqual({ id: 'message-1', deliveredAt: '2026-11-20T11:00:05.000Z' });
  });
});

describe('an unavailable table', () => {
  it('is reported as a value', async () => {
    const { storeEvent } = createRepositories(tables, 'no-such-table');
    const rawBody = Buffer.from(JSON.stringify(wireMessage()));
    expect(await storeEvent({ rawBody, receivedAt: NOW })).toEqual({
      kind: 'unavailable',
      reason: expect.stringContaining('ResourceNotFoundException'),
    });
  });

  it('differs from a write that it refuses for good', async () => {
    const message = outbound({ call: { endpoint: 'message/v3', body: { messageText: 'x'.repeat(410_000) } } });
    await expect(repositories.messages.recordOutbound(message)).rejects.toThrow(WriteRefusedError);
    const { messages } = createRepositories(tables, 'no-such-table');
    await expect(messages.recordOutbound(outbound())).rejects.not.toThrow(WriteRefusedError);
  });
});
