import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { messageKey } from '../../../../../lambdas/adapters/dynamodb/keys.ts';
import { NOW, wireStatus } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createClientWithHooks } from './client-with-hooks.ts';
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
const expiryOf = (createdAt: string) => Date.parse(createdAt) / 1000 + 400 * 24 * 60 * 60;

describe('storing an echo', () => {
  const echoed = {
    pk: 'MESSAGE#message-1',
    sk: 'MESSAGE',
    echoAt: '2026-11-20T11:00:02.000Z',
    echoAtSource: 'event',
    echoBody: JSON.stringify(wireEcho()),
  };

  it('stores it with its place in the conversation, and opens no window', async () => {
    await receive(wireEcho());
    expect(await items()).toEqual({
      'MESSAGE#message-1 MESSAGE': {
        ...echoed,
        contact: CONTACT,
        contactSort: 'MESSAGE#2026-11-20T11:00:02.000Z',
        expiresAt: expiryOf('2026-11-20T11:00:02.000Z'),
      },
    });
  });

  it('stores an echo without a user outside all conversations', async () => {
    await receive(wireEcho({ TO: undefined }));
    const item = (await items())['MESSAGE#message-1 MESSAGE'];
    expect(item).toMatchObject({ echoAt: '2026-11-20T11:00:02.000Z' });
    expect(item).not.toHaveProperty('contact');
    expect(item).not.toHaveProperty('contactSort');
  });

  const message = () => repositories.messages.recordOutbound(outbound());
  const status = () => receive(wireStatus());
  const echo = () => receive(wireEcho());
  const laterEcho = () => receive(wireEcho({ CREATION_TIME: '2026-11-20T11:00:03.000Z' }));
  const earlierEcho = () => receive(wireEcho({ CREATION_TIME: '2026-11-20T11:00:01.000Z' }));

  it.each([
    ['before the message and its status', () => [echo, message, status]],
    ['between message and status', () => [message, echo, status]],
    ['between status and message', () => [status, echo, message]],
    ['after both', () => [message, status, echo]],
    ['with a later version after it', () => [echo, laterEcho, message, status]],
    ['with a later version before it', () => [laterEcho, message, echo, status]],
    ['with both versions beside the message', () => [status, message, laterEcho, echo]],
    ['twice', () => [echo, message, echo, status]],
  ])('leaves the same item when it arrives %s', async (_case, order) => {
    for (const step of order()) await step();
    const { claimedAt, call, requestId } = outbound();
    expect(await items()).toEqual({
      'MESSAGE#message-1 MESSAGE': {
        ...echoed,
        direction: 'outbound',
        contact: CONTACT,
        contactSort: `MESSAGE#${claimedAt}`,
        createdAt: claimedAt,
        requestId,
        call,
        deliveredAt: '2026-11-20T11:00:05.000Z',
        expiresAt: expiryOf(claimedAt),
      },
    });
  });

  it.each([
    ['first', () => [earlierEcho, echo]],
    ['last', () => [echo, earlierEcho]],
    ['last, after a status', () => [echo, status, earlierEcho]],
  ])('keeps the earliest version when that arrives %s', async (_case, order) => {
    for (const step of order()) await step();
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      echoAt: '2026-11-20T11:00:01.000Z',
      contactSort: 'MESSAGE#2026-11-20T11:00:01.000Z',
      expiresAt: expiryOf('2026-11-20T11:00:01.000Z'),
    });
  });
});

describe('storing an echo while its item changes', () => {
  const remove = () =>
    tables.client.send(new DeleteItemCommand({ TableName: tableName, Key: marshall(messageKey('message-1')) }));
  const store = () => repositories.messages.recordOutbound(outbound());

  /** Stores the echo with a change right before each of its writes. Returns the number of writes. */
  const storeEcho = async (changes: readonly (() => Promise<unknown>)[]) => {
    let writes = 0;
    const client = createClientWithHooks(tables, {
      async before() {
        await changes[writes]?.();
        writes += 1;
      },
    });
    const { storeEvent } = createRepositories({ client }, tableName);
    const stored = await storeEvent({ rawBody: Buffer.from(JSON.stringify(wireEcho())), receivedAt: NOW });
    return { stored, writes };
  };

  it('takes one write if nothing changes', async () => {
    expect(await storeEcho([])).toMatchObject({ stored: { kind: 'stored' }, writes: 1 });
  });

  it('takes two writes if the message is already stored', async () => {
    expect(await storeEcho([store])).toMatchObject({ stored: { kind: 'stored' }, writes: 2 });
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      direction: 'outbound',
      contactSort: 'MESSAGE#2026-11-20T11:00:00.000Z',
      echoAt: '2026-11-20T11:00:02.000Z',
    });
  });

  it('gives the echo its place in the conversation if the message is erased in between', async () => {
    expect(await storeEcho([store, remove])).toMatchObject({ stored: { kind: 'stored' }, writes: 3 });
    const item = (await items())['MESSAGE#message-1 MESSAGE'];
    expect(item).toMatchObject({ contact: CONTACT, contactSort: 'MESSAGE#2026-11-20T11:00:02.000Z' });
    expect(item).not.toHaveProperty('direction');
  });

  it('is retried later if the item changes before every write', async () => {
    expect(await storeEcho([store, remove, store])).toMatchObject({ stored: { kind: 'unavailable' }, writes: 3 });
    expect((await items())['MESSAGE#message-1 MESSAGE']).not.toHaveProperty('echoAt');
  });
});
