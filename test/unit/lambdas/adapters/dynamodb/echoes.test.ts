import { describe, expect, it } from 'vitest';
import { type ContactRef, contactRef } from '../../../../../lambdas/domain/contact.ts';
import { startTrace } from '../../../../../lambdas/domain/trace-context.ts';
import { NOW, wireStatus } from '../../../../support/builders.ts';
import { CONTACT, contact, outbound, wireEcho } from './message-builders.ts';
import { createRepositoriesForEach, type Repositories, repositoriesOf } from './repositories.ts';

const stored = createRepositoriesForEach();

const { receive } = stored;
/** The items of messages, without those of the customer that an event names. */
const items = async () =>
  Object.fromEntries(Object.entries(await stored.items()).filter(([name]) => name.startsWith('MESSAGE#')));
const eraseAll = async (of: ContactRef, { erasures }: Pick<Repositories, 'erasures'> = stored) => {
  const { items: listed } = await erasures.listItems(of, NOW);
  return Promise.all(listed.map((item) => erasures.erase(of, item, NOW)));
};
const expiryOf = (createdAt: string) => Date.parse(createdAt) / 1000 + 400 * 24 * 60 * 60;

const KEY = 'MESSAGE#message-1 ECHO';

describe('storing an echo', () => {
  const echoed = {
    pk: 'MESSAGE#message-1',
    sk: 'ECHO',
    direction: 'echo',
    contact: CONTACT,
    contactSort: 'MESSAGE#2026-11-20T11:00:02.000Z',
    createdAt: '2026-11-20T11:00:02.000Z',
    createdAtSource: 'event',
    body: JSON.stringify(wireEcho()),
    traceparent: startTrace('message', 'message-1'),
    expiresAt: expiryOf('2026-11-20T11:00:02.000Z'),
  };

  it('stores it with its place in the conversation, and opens no window', async () => {
    await receive(wireEcho());
    expect(await items()).toEqual({ [KEY]: echoed });
  });

  it('stores an echo without a user outside all conversations', async () => {
    await receive(wireEcho({ TO: undefined, CUSTOMER_ID: undefined }));
    const item = (await items())[KEY];
    expect(item).toMatchObject({ createdAt: '2026-11-20T11:00:02.000Z' });
    expect(item).not.toHaveProperty('contact');
    expect(item).not.toHaveProperty('contactSort');
  });

  it('stores an echo that names only the customer where an erasure finds it', async () => {
    await receive(wireEcho({ TO: undefined }));
    expect((await items())[KEY]).toMatchObject({ contact: 'CUSTOMER#chat#customer-1' });
  });

  it('is stored beside its message and the statuses', async () => {
    await stored.messages.recordOutbound(outbound());
    await receive(wireEcho());
    await receive(wireStatus());
    const { claimedAt, call, requestId, attempt } = outbound();
    expect(await items()).toEqual({
      [KEY]: echoed,
      'MESSAGE#message-1 MESSAGE': {
        pk: 'MESSAGE#message-1',
        sk: 'MESSAGE',
        direction: 'outbound',
        contact: CONTACT,
        contactSort: `MESSAGE#${claimedAt}`,
        createdAt: claimedAt,
        requestId,
        call,
        attempt,
        deliveredAt: '2026-11-20T11:00:05.000Z',
        statusBodies: new Set([JSON.stringify(wireStatus())]),
        traceparent: startTrace('message', 'message-1'),
        expiresAt: expiryOf(claimedAt),
      },
    });
  });

  // That any order leaves the same items is in messages.property.test.ts.
  it('keeps the earliest version, with its place in the conversation and its expiry', async () => {
    await receive(wireEcho());
    await receive(wireEcho({ CREATION_TIME: '2026-11-20T11:00:01.000Z' }));
    expect((await items())[KEY]).toMatchObject({
      createdAt: '2026-11-20T11:00:01.000Z',
      contactSort: 'MESSAGE#2026-11-20T11:00:01.000Z',
      expiresAt: expiryOf('2026-11-20T11:00:01.000Z'),
    });
  });
});

describe('an echo that names no user', () => {
  it('is erased with its message, even if the erasure was interrupted after any of its deletions', async () => {
    for (let survived = 0; survived < 4; survived += 1) {
      await stored.messages.recordOutbound(outbound());
      await receive(wireEcho({ TO: undefined }));
      let deletions = 0;
      const table = stored.table;
      const interrupted = repositoriesOf({
        ...table,
        async delete(...parameters) {
          if (deletions++ === survived) throw new Error('killed');
          return table.delete(...parameters);
        },
      });
      await eraseAll(contact, interrupted).catch(() => undefined);
      await eraseAll(contact);
      expect(await items()).toEqual({});
    }
  });
});

describe('an echo that names another contact than its message', () => {
  const other = contactRef('chat', 'CO.1000');
  const echo = () => receive(wireEcho({ TO: 'CO.1000', MESSAGE: 'secret' }));
  const message = () => stored.messages.recordOutbound(outbound());
  const status = () => receive(wireStatus());

  it('is in the conversation of its own contact, and the message in that of the send', async () => {
    for (const step of [echo, message, status]) await step();
    const conversationOf = async (of: ContactRef) =>
      (await stored.messages.readConversation([{ subject: of }], { limit: 10 })).messages.map(
        ({ direction, text, deliveredAt }) => [direction, text, deliveredAt],
      );
    expect(await conversationOf(other)).toEqual([['echo', 'secret', '2026-11-20T11:00:05.000Z']]);
    expect(await conversationOf(contact)).toEqual([['outbound', 'On its way.', '2026-11-20T11:00:05.000Z']]);
    expect(await stored.messages.read('message-1')).toMatchObject({ direction: 'outbound' });
  });

  it.each([
    ['first', () => [echo, message]],
    ['last', () => [message, echo]],
  ])('is erased with its own contact when it arrived %s, and only then', async (_case, order) => {
    for (const step of order()) await step();
    expect(await eraseAll(contact)).toEqual(['erased']);
    expect(JSON.stringify(await items())).toContain('secret');
    expect(await eraseAll(other)).toEqual(['erased']);
    expect(await items()).toEqual({});
  });
});

describe('an echo as large as a message can be', () => {
  // The largest request, in an event that writes each of its characters as an escape of six bytes.
  const text = 'я'.repeat(64 * 1024 - 200);
  const escaped = text.replace(/./gu, '\\u044f');
  const echo = () =>
    stored.storeEvent({
      rawBody: Buffer.from(JSON.stringify(wireEcho({ MESSAGE: '' })).replace('"MESSAGE":""', `"MESSAGE":"${escaped}"`)),
      receivedAt: NOW,
    });
  const call = { endpoint: 'message/v3' as const, body: { messageText: text } };
  const message = () => stored.messages.recordOutbound(outbound({ call }));

  it.each([
    ['before', () => [echo, message]],
    ['after', () => [message, echo]],
  ])('is stored %s its message', async (_case, order) => {
    for (const step of order()) {
      const stored = await step();
      if (stored !== undefined) expect(stored).toMatchObject({ kind: 'stored' });
    }
    expect(await stored.messages.read('message-1')).toMatchObject({ direction: 'outbound', text });
  });
});
