import { describe, expect, it } from 'vitest';
import { WriteRefusedError } from '../../../../../lambdas/domain/errors.ts';
import { startTrace, traceIdOf } from '../../../../../lambdas/domain/trace-context.ts';
import { NOW, TRACE_ID, TRACEPARENT, wireMessage, wireStatus } from '../../../../support/builders.ts';
import { CONTACT, contact, outbound, wireEcho } from './message-builders.ts';
import { createRepositoriesForEach, repositoriesOf } from './repositories.ts';

const stored = createRepositoriesForEach();

const receive = (wire: unknown, traceparent?: string) => stored.receive(wire, { traceparent });
const { items } = stored;

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
        traceparent: startTrace('message', 'message-1'),
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
        customerAt: '2026-11-20T11:00:00.000Z',
        linkedAt: '2026-11-03T00:00:00.000Z',
        writerIds: new Set(['customer-1']),
        expiresAt: Date.parse('2027-12-25T11:00:00.000Z') / 1000,
      },
      'CUSTOMER#chat#customer-1 CUSTOMER#*': {
        pk: 'CUSTOMER#chat#customer-1',
        sk: 'CUSTOMER#*',
        contacts: new Set([CONTACT]),
        expiresAt: Date.parse('2028-01-07T00:00:00.000Z') / 1000,
      },
    });
    expect(await stored.messages.read('message-1')).toMatchObject({
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

  it('keeps the earliest version of a message, or the one that sorts first of two with the same time', async () => {
    const versions = [
      wireMessage({ CREATION_TIME: '2026-11-20T11:00:00.000Z', MESSAGE: 'a' }),
      wireMessage({ CREATION_TIME: '2026-11-20T11:00:00.000Z', MESSAGE: 'b' }),
      wireMessage({ CREATION_TIME: '2026-11-20T11:00:01.000Z', MESSAGE: 'A' }),
    ];
    for (const version of versions.toReversed()) await receive(version);
    expect((await items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      createdAt: '2026-11-20T11:00:00.000Z',
      contactSort: 'MESSAGE#2026-11-20T11:00:00.000Z',
      body: JSON.stringify(versions[0]),
    });
  });

  it('refuses a message that is too large for a table item, but still opens the window', async () => {
    const stored = await receive(wireMessage({ MESSAGE: 'x'.repeat(410_000) }));
    expect(stored).toMatchObject({ kind: 'unstorable', reason: 'The item is too large for the table.' });
    expect(Object.keys(await items()).toSorted()).toEqual([
      `${CONTACT} CONTACT`,
      'CUSTOMER#chat#customer-1 CUSTOMER#*',
    ]);
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

describe('the trace of an event', () => {
  const OTHER = startTrace('message', 'another');
  const traceOf = async (key: string) => (await items())[key]?.traceparent;
  const MESSAGE = 'MESSAGE#message-1 MESSAGE';

  it.each([
    ['message', wireMessage(), MESSAGE],
    ['echo', wireEcho(), 'MESSAGE#message-1 ECHO'],
    ['status', wireStatus(), MESSAGE],
  ])('is stored with the %s, and stays when it is delivered again in another trace', async (_kind, wire, key) => {
    expect(await receive(wire, TRACEPARENT)).toMatchObject({ kind: 'stored', traceId: TRACE_ID });
    await receive(wire, OTHER);
    expect(await traceOf(key)).toBe(TRACEPARENT);
  });

  it('starts with the event if the request names none, and is the same in every delivery', async () => {
    const first = await receive(wireMessage());
    expect(await receive(wireMessage())).toEqual(first);
    expect(first).toMatchObject({ traceId: traceIdOf(String(await traceOf(MESSAGE))) });
  });

  it('is that of the message that a status belongs to', async () => {
    await stored.messages.recordOutbound(outbound({ traceparent: TRACEPARENT }));
    expect(await receive(wireStatus(), OTHER)).toMatchObject({ kind: 'stored', traceId: TRACE_ID });
    // A second report, whose time is not earlier, changes nothing but is in the same trace.
    expect(await receive(wireStatus({ CAUSE: 'again' }), OTHER)).toMatchObject({ kind: 'stored', traceId: TRACE_ID });
    expect(await traceOf(MESSAGE)).toBe(TRACEPARENT);
  });

  it('gives way to that of the message, which arrives after its status', async () => {
    await receive(wireStatus(), OTHER);
    await stored.messages.recordOutbound(outbound({ traceparent: TRACEPARENT }));
    expect(await traceOf(MESSAGE)).toBe(TRACEPARENT);
  });

  it('stays if the send has none', async () => {
    await receive(wireStatus(), OTHER);
    await stored.messages.recordOutbound(outbound());
    expect(await traceOf(MESSAGE)).toBe(OTHER);
  });

  it('is unknown for an event that cannot be read, unless the request names it', async () => {
    expect(await receive({})).not.toHaveProperty('traceId');
    expect(await receive({}, TRACEPARENT)).toMatchObject({ kind: 'unstorable', traceId: TRACE_ID });
  });
});

describe('a message beside a status', () => {
  const MESSAGE = 'Where is my parcel?';

  it("is an echo, if the status is that of a message that the business sent, and opens no user's window", async () => {
    const wire = wireStatus({ STATUS: 'delivered', CUSTOMER_ID: undefined, MESSAGE });
    await receive(wire);
    expect(Object.keys(await items()).toSorted()).toEqual(['MESSAGE#message-1 ECHO', 'MESSAGE#message-1 MESSAGE']);
    expect(await stored.messages.read('message-1')).toMatchObject({
      direction: 'echo',
      text: MESSAGE,
      deliveredAt: '2026-11-20T11:00:05.000Z',
      body: JSON.stringify(wire),
      statusBodies: [JSON.stringify(wire)],
    });
  });

  it("is the user's, but opens no window, if the status is another one", async () => {
    const wire = wireMessage({ STATUS: 'received' });
    await receive(wire);
    expect(await items()).toMatchObject({
      'MESSAGE#message-1 MESSAGE': {
        direction: 'inbound',
        body: JSON.stringify(wire),
        otherStatuses: new Set(['received 2026-11-20T11:00:00.000Z']),
      },
    });
    expect(await items()).not.toHaveProperty([`${CONTACT} CONTACT`]);
  });

  const message = () => receive(wireMessage({ CREATION_TIME: '2026-11-20T11:00:09.000Z' }));
  const status = (changes: Record<string, unknown>) => () => receive(wireStatus({ MESSAGE: 'beside', ...changes }));
  const sent = () => stored.messages.recordOutbound(outbound());
  const steps = [
    status({ STATUS: 'received' }),
    status({ STATUS: 'played', CREATION_TIME: '2026-11-20T11:00:01.000Z' }),
  ];

  it.each([
    ["a user's own message", message, MESSAGE],
    ['a message that Parley sent', sent, 'On its way.'],
  ])('is replaced by %s that arrives last', async (_case, own, text) => {
    for (const step of [...steps, own]) await step();
    expect(await stored.messages.read('message-1')).toMatchObject({ text });
  });
});

describe("a user's message with the id of a message that Parley sent", () => {
  it('is refused, and so quarantined, if it comes second, and its body stays if it comes first', async () => {
    await stored.messages.recordOutbound(outbound());
    expect(await receive(wireMessage())).toMatchObject({
      kind: 'unstorable',
      reason: expect.stringContaining('Parley sent'),
    });
    await receive(wireMessage({ _id_: 'message-2' }));
    await stored.messages.recordOutbound(outbound({ id: 'message-2' }));
    expect(await items()).toMatchObject({
      'MESSAGE#message-1 MESSAGE': { direction: 'outbound', contactSort: 'MESSAGE#2026-11-20T11:00:00.000Z' },
      'MESSAGE#message-2 MESSAGE': { direction: 'outbound', body: JSON.stringify(wireMessage({ _id_: 'message-2' })) },
    });
  });
});

describe('a message that two writers attribute to different calls of its request', () => {
  it('belongs to the earlier call, in any order, even if the clock of that claim was ahead', async () => {
    const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'parcel_update' } };
    const earlier = outbound({ call, claimedAt: '2026-11-20T11:00:05.000Z', attempt: 1 });
    const latest = outbound({ claimedAt: '2026-11-20T11:00:04.000Z', attempt: 2 });
    const write = (message: typeof earlier) => stored.messages.recordOutbound(message);

    await write(latest);
    await write(earlier);
    const inOrder = await items();
    await write(latest);

    expect(await items()).toEqual(inOrder);
    expect(inOrder).toMatchObject({
      'MESSAGE#message-1 MESSAGE': { call, createdAt: earlier.claimedAt, contactSort: `MESSAGE#${earlier.claimedAt}` },
    });
  });
});

describe('a message without a usable time', () => {
  const REDELIVERED = '2026-11-26T12:00:00.000Z';
  const at = (receivedAt: string, changes: Record<string, unknown>) =>
    stored.storeEvent({ rawBody: Buffer.from(JSON.stringify(wireMessage(changes))), receivedAt });

  it.each([undefined, '2099-01-01T00:00:00Z'])(
    'opens the window once, as of its first arrival: %j',
    async (CREATION_TIME) => {
      await at(NOW, { CREATION_TIME });
      const once = await items();
      expect(once).toMatchObject({ [`${CONTACT} CONTACT`]: { lastInboundAt: NOW } });
      await at(REDELIVERED, { CREATION_TIME });
      expect(await items()).toEqual(once);
    },
  );

  it.each(['yesterday', 1795])('opens no window if it cannot be read: %j', async (CREATION_TIME) => {
    await at(NOW, { CREATION_TIME });

    expect(Object.keys(await items())).toEqual(['MESSAGE#message-1 MESSAGE']);
  });

  it('keeps the time that is stored when a delivery that waited in the queue is stored last', async () => {
    await at(REDELIVERED, { CREATION_TIME: undefined });
    const once = await items();
    expect(once).toMatchObject({ [`${CONTACT} CONTACT`]: { lastInboundAt: REDELIVERED } });
    await at(NOW, { CREATION_TIME: undefined });
    expect(await items()).toEqual(once);
  });
});

describe('a status as large as an item', () => {
  it('has its time recorded, if that is all that Parley uses of it, and is refused, and so quarantined', async () => {
    const refused = await receive(wireStatus({ DETAIL: 'x'.repeat(380_000) }));
    expect(refused).toMatchObject({ kind: 'unstorable', reason: expect.stringContaining('too large') });
    expect(await items()).toMatchObject({ 'MESSAGE#message-1 MESSAGE': { deliveredAt: '2026-11-20T11:00:05.000Z' } });
  });

  it.each([
    ['failure', { STATUS: 'failed', DETAIL: 'x'.repeat(380_000) }],
    ['literal that Parley does not know', { STATUS: 'x'.repeat(380_000) }],
  ])('is refused for a %s, and leaves room for its message', async (_case, changes) => {
    const refused = await receive(wireStatus(changes));
    expect(refused).toMatchObject({ kind: 'unstorable', reason: expect.stringContaining('too large') });
    await stored.messages.recordOutbound(
      outbound({ call: { endpoint: 'message/v3', body: { messageText: 'x'.repeat(128 * 1024) } } }),
    );
    expect(await receive(wireStatus(changes))).toEqual(refused);
  });
});

describe('reading a message', () => {
  it('returns undefined for an unknown id', async () => {
    expect(await stored.messages.read('message-1')).toBeUndefined();
  });

  it('returns an echo with its body', async () => {
    await receive(wireEcho());
    expect(await stored.messages.read('message-1')).toMatchObject({
      id: 'message-1',
      direction: 'echo',
      text: 'On its way.',
      body: JSON.stringify(wireEcho()),
    });
  });

  it('returns a message that Parley sent without a body, and its echo beside it', async () => {
    await stored.messages.recordOutbound(outbound());
    const message = await stored.messages.read('message-1');
    expect(message).toMatchObject({ direction: 'outbound', requestId: 'request-1', text: 'On its way.' });
    expect(message).not.toHaveProperty('body');
    const echo = wireEcho({ MESSAGE: 'On its way!', IMAGES_URLS: ['https://media.example/1'] });
    await receive(echo);
    expect(await stored.messages.read('message-1')).toEqual({
      ...message,
      echo: {
        createdAt: '2026-11-20T11:00:02.000Z',
        text: 'On its way!',
        media: { images: ['https://media.example/1'] },
        body: JSON.stringify(echo),
      },
    });
  });

  it("returns a user's message with its own body, not that of an echo", async () => {
    await receive(wireEcho());
    await receive(wireMessage());
    expect(await stored.messages.read('message-1')).toMatchObject({
      direction: 'inbound',
      text: 'Where is my parcel?',
      body: JSON.stringify(wireMessage()),
    });
  });

  it('returns a message that is known only by a status', async () => {
    await receive(wireStatus());
    const message = await stored.messages.read('message-1');
    expect(JSON.parse(JSON.stringify(message))).toEqual({
      id: 'message-1',
      traceId: traceIdOf(startTrace('message', 'message-1')),
      deliveredAt: '2026-11-20T11:00:05.000Z',
      statusBodies: [JSON.stringify(wireStatus())],
    });
  });
});

describe('reading when a message was written, and with whom', () => {
  const origin = () => stored.messages.readOrigin('message-1');

  it('returns nothing for an unknown id, or one that is known only by a status', async () => {
    expect(await origin()).toBeUndefined();
    await receive(wireStatus());
    expect(await origin()).toBeUndefined();
  });

  it.each([
    ["a user's message", () => receive(wireMessage()), '2026-11-20T11:00:00.000Z'],
    ['an echo', () => receive(wireEcho()), '2026-11-20T11:00:02.000Z'],
    ['a message that Parley sent', () => stored.messages.recordOutbound(outbound()), outbound().claimedAt],
  ])('returns both for %s', async (_case, write, createdAt) => {
    await write();
    expect(await origin()).toEqual({ createdAt, contact });
  });

  it("returns those of a user's message, not those of an echo with the same id", async () => {
    await receive(wireEcho({ TO: '+5491155559999' }));
    await receive(wireMessage());
    expect(await origin()).toEqual({ createdAt: '2026-11-20T11:00:00.000Z', contact });
  });
});

describe('an unavailable table', () => {
  it('is reported as a value', async () => {
    const { storeEvent } = repositoriesOf(stored.missingTable());
    const rawBody = Buffer.from(JSON.stringify(wireMessage()));
    expect(await storeEvent({ rawBody, receivedAt: NOW })).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('ResourceNotFoundException'),
    });
  });

  it('differs from a write that it refuses for good', async () => {
    const message = outbound({ call: { endpoint: 'message/v3', body: { messageText: 'x'.repeat(410_000) } } });
    await expect(stored.messages.recordOutbound(message)).rejects.toThrow(WriteRefusedError);
    const { messages } = repositoriesOf(stored.missingTable());
    await expect(messages.recordOutbound(outbound())).rejects.not.toThrow(WriteRefusedError);
  });
});

it.each(['delivered first', 'read first'])(
  'statuses of an unknown message, of which only one names the user, leave the same item: %s',
  async (order) => {
    const delivered = wireStatus({ STATUS: 'delivered', FROM: undefined, CUSTOMER_ID: 'customer-1' });
    const read = wireStatus({ STATUS: 'read', CUSTOMER_ID: undefined });
    for (const status of order === 'read first' ? [read, delivered] : [delivered, read]) await receive(status);
    expect(await items()).toMatchObject({ 'MESSAGE#message-1 MESSAGE': { contact: CONTACT, contactSort: 'STATUS#' } });
  },
);
