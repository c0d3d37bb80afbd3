import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ms } from '../../../../lambdas/domain/duration.ts';
import { SDK_TIMEOUTS, TIME_BUDGET, WEBHOOK_DEADLINE_MS } from '../../../../lambdas/receive/time-budget.ts';
import { wireMessage, wireStatus } from '../../../support/builders.ts';
import { AUDIENCE, SERVICE_ACCOUNT, startIssuer } from '../../../support/issuer.ts';
import { snsNotification, standardWebhooksRequest, TOPIC } from '../../../support/signed-requests.ts';
import { type RealFunction, startRealFunction } from './real-function.ts';

// The function as its entry wires it, with real SDK clients, on the emulators.

const SHARED = { kind: 'shared-token', header: 'x-token' };
const TOKEN = 'a-webhook-token-1';
const CONTACT = 'CONTACT#chat#*#541155550000 CONTACT';

let receive: RealFunction;
beforeAll(async () => {
  receive = await startRealFunction();
});
afterAll(() => receive.close());

const post = (wire: unknown, pathParameters?: Record<string, string>) =>
  receive.post({ headers: { 'x-token': TOKEN }, body: JSON.stringify(wire), pathParameters });
/** Short, and still enough for a table that answers, even on a busy machine. */
const SHORT_TABLE_BUDGET = { table: ms(1_000) };
const POLLING = { timeout: 25_000, interval: 200 };
const drainedItems = async () => {
  await receive.drain();
  return Object.keys(await receive.items());
};
const start = (environment: Record<string, string> = {}, budget: Partial<typeof TIME_BUDGET> = {}) => {
  receive.putSecret(TOKEN);
  return receive.start(SHARED, environment, budget);
};

describe('receiving', () => {
  // An event that names no customer.
  const UNNAMED = wireMessage({ CUSTOMER_ID: undefined });

  it.each([
    ['costs two writes and no read for an inbound message', UNNAMED, ['UpdateItem', 'UpdateItem']],
    ['costs one write for a status', wireStatus({ CUSTOMER_ID: undefined }), ['UpdateItem']],
    ['costs one write for an echo', wireMessage({ FROM: 'me' }), ['UpdateItem']],
    ['costs no write for an unknown event', { hello: 'world' }, []],
  ])('%s', async (_case, wire, calls) => {
    await start();
    expect(await post(wire)).toMatchObject({ statusCode: 200 });
    expect(receive.table.calls).toEqual(calls);
    expect(receive.queues.calls).toHaveLength(calls.length === 0 ? 1 : 0);
  });

  const KEYWORDS = { KEYWORDS: JSON.stringify({ optOut: ['BAJA'], optIn: [] }) };
  const OPERATORS = { OPERATOR_ECHOES: JSON.stringify({ field: 'OPERATOR_ID', handoverMinutes: 60 }) };
  const KEYWORD = { ...UNNAMED, MESSAGE: 'Baja' };
  const OPERATORS_MESSAGE = { ...UNNAMED, FROM: 'me', TO: '5491155550000', OPERATOR_ID: 'ana' };
  it.each([
    ['costs nothing more for a keyword without keywords', {}, KEYWORD, 2],
    ['costs nothing more for another message with keywords', KEYWORDS, UNNAMED, 2],
    ['costs one more write for a keyword', KEYWORDS, KEYWORD, 3],
    ["costs nothing more for an operator's message without operators", {}, OPERATORS_MESSAGE, 1],
    [
      'costs nothing more for another echo with operators',
      OPERATORS,
      { ...UNNAMED, FROM: 'me', TO: '5491155550000' },
      1,
    ],
    ["costs one more write for an operator's message", OPERATORS, OPERATORS_MESSAGE, 2],
  ])('%s', async (_case, environment, wire, writes) => {
    await start(environment);
    expect(await post(wire)).toMatchObject({ statusCode: 200 });
    expect(receive.table.calls).toEqual(Array(writes).fill('UpdateItem'));
    expect(receive.queues.calls).toEqual([]);
  });

  it('costs one more write for an opt-out by keyword that is delivered again', async () => {
    const writesOfRepetition = async (wire: unknown) => {
      await start(KEYWORDS);
      await post(wire);
      const before = receive.table.calls.length;
      await post(wire);
      return receive.table.calls.length - before;
    };
    expect([await writesOfRepetition({ ...UNNAMED, _id_: 'plain' }), await writesOfRepetition(KEYWORD)]).toEqual([
      2, 3,
    ]);
  });

  it('costs one more write for the first message to a business number in each process', async () => {
    await start({ WINDOW_PER: 'channel' });
    const number = { chatChannelNumber: '+5491100000000' };
    await post({ ...UNNAMED, _id_: 'first' }, number);
    expect(receive.table.calls).toEqual(['UpdateItem', 'UpdateItem', 'UpdateItem']);
    await post({ ...UNNAMED, _id_: 'second' }, number);
    expect(receive.table.calls).toHaveLength(5);
  });

  it('costs more only when a customer is new to an address', async () => {
    await start();
    const writesOf = async (wire: unknown) => {
      const before = receive.table.calls.length;
      expect(await post(wire)).toMatchObject({ statusCode: 200 });
      return receive.table.calls.length - before;
    };
    const later = (minute: number) => ({ _id_: `at-${minute}`, CREATION_TIME: `2026-11-20T11:0${minute}:00.000Z` });
    const OTHER = { CUSTOMER_ID: 'customer-2' };
    expect({
      first: await writesOf(wireMessage(later(1))),
      second: await writesOf(wireMessage(later(2))),
      repeated: await writesOf(wireMessage(later(2))),
      earlier: await writesOf(wireMessage(later(0))),
      status: await writesOf(wireStatus()),
      nextStatus: await writesOf(wireStatus({ _id_: 'message-2' })),
      newUser: await writesOf(wireMessage({ ...OTHER, ...later(3) })),
      secondOfNewUser: await writesOf(wireMessage({ ...OTHER, ...later(4) })),
      statusOfAnother: await writesOf(wireStatus({ FROM: '5491155550001', _id_: 'message-3' })),
    }).toEqual({
      first: 6,
      second: 2,
      repeated: 2,
      earlier: 2,
      status: 6,
      nextStatus: 1,
      newUser: 5,
      secondOfNewUser: 2,
      statusOfAnother: 6,
    });
    expect(receive.table.calls.every((call) => call === 'UpdateItem')).toBe(true);
  });
});

describe('the time budget', () => {
  it('leaves room for a cold start after verification, table, and queue, one after another', () => {
    const { verification, table, queue, start } = TIME_BUDGET;
    expect(verification + table + queue + start).toBeLessThanOrEqual(WEBHOOK_DEADLINE_MS);
  });

  it('allows a second attempt at the table and at the queue', () => {
    const { connectionTimeout, requestTimeout } = SDK_TIMEOUTS;
    expect(Math.max(connectionTimeout, requestTimeout)).toBeLessThan(Math.min(TIME_BUDGET.table, TIME_BUDGET.queue));
  });
});

describe('while the table does not answer', () => {
  it('events are acknowledged, wait in the queue, and are stored once it answers again', async () => {
    await start({}, SHORT_TABLE_BUDGET);
    receive.table.swallow(true);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => post(wireMessage({ _id_: `waits-${index}` }))),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect(await receive.items()).toEqual({});
    receive.table.swallow(false);
    await expect
      .poll(drainedItems, POLLING)
      .toEqual(expect.arrayContaining([0, 1, 2, 3, 4].map((index) => `MESSAGE#waits-${index} MESSAGE`)));
  });

  it('and the queue does not either, requests are left to redelivery', async () => {
    await start({}, { ...SHORT_TABLE_BUDGET, queue: ms(100) });
    receive.table.swallow(true);
    receive.queues.swallow(true);
    expect(await post(wireMessage())).toMatchObject({ statusCode: 503 });
    receive.table.swallow(false);
    receive.queues.swallow(false);
  });

  it('one event per second waits for it, and the others are deferred at once', async () => {
    await start({}, SHORT_TABLE_BUDGET);
    receive.table.swallow(true);
    vi.useFakeTimers({ toFake: ['Date'] });
    await post(wireMessage({ _id_: 'waits-for-table' }));
    const tried = receive.table.calls.length;
    for (let count = 0; count < 5; count += 1) await post(wireMessage({ _id_: `deferred-${count}` }));
    expect(receive.table.calls.length).toBe(tried);
    vi.setSystemTime(Date.now() + 1_000);
    await post(wireMessage({ _id_: 'waits-again' }));
    expect(receive.table.calls.length).toBeGreaterThan(tried);
    vi.useRealTimers();
    receive.table.swallow(false);
  });
});

describe('a conversation window', () => {
  it('is not opened by a message that arrives six days late', async () => {
    await start();
    const written = new Date(Date.now() - 6 * 24 * 3600 * 1000).toISOString();
    await post(wireMessage({ CREATION_TIME: written }));
    expect((await receive.items())[CONTACT]).toMatchObject({ lastInboundAt: written });
  });

  it('does not extend past 24 hours from now after a message from the future', async () => {
    await start();
    const future = new Date(Date.now() + 30 * 24 * 3600 * 1000).toISOString();
    await post(wireMessage({ CREATION_TIME: future }));
    const { lastInboundAt } = (await receive.items())[CONTACT] ?? {};
    expect(Date.parse(String(lastInboundAt))).toBeLessThanOrEqual(Date.now());
    expect((await receive.items())['MESSAGE#message-1 MESSAGE']).toMatchObject({
      createdAtSource: 'arrival',
      body: expect.stringContaining(future),
    });
  });

  it("is kept per business number if configured: the path's, otherwise the event's", async () => {
    await start({ WINDOW_PER: 'channel' });
    await post(wireMessage({ _id_: 'by-path', TO: '+5491100000009' }), { chatChannelNumber: '+5491100000000' });
    await post(wireMessage({ _id_: 'by-channel-id', CHAT_CHANNEL_ID: '5491100000001' }));
    await post(wireMessage({ _id_: 'by-to', CHAT_CHANNEL_ID: 'a-name', TO: '+54 9 11 0000-0002' }));
    const windows = Object.keys(await receive.items()).filter((key) => key.endsWith(' CONTACT'));
    expect(windows.toSorted()).toEqual(
      ['541100000000', '541100000001', '541100000002'].map((number) => `CONTACT#chat#${number}#541155550000 CONTACT`),
    );
  });

  it('is not opened by a message without a number if windows are per number; the message is stored and counted', async () => {
    await start({ WINDOW_PER: 'channel' });
    expect(await post(wireMessage())).toMatchObject({ statusCode: 200 });
    expect(Object.keys(await receive.items())).toEqual(['MESSAGE#message-1 MESSAGE']);
    expect(receive.log.join('')).toContain('"EventWithoutChannel":1');
  });

  it('belongs to the number of the path even when the event was deferred', async () => {
    await start({ WINDOW_PER: 'channel' }, SHORT_TABLE_BUDGET);
    receive.table.swallow(true);
    await post(wireMessage(), { chatChannelNumber: '5491100000000' });
    receive.table.swallow(false);
    await expect.poll(drainedItems, POLLING).toContain('CONTACT#chat#541100000000#541155550000 CONTACT');
  });
});

describe('an unknown event', () => {
  it('is quarantined with the reason, the delivery id, the arrival, and the body as received', async () => {
    receive.putSecret(TOKEN);
    await receive.start({ ...SHARED, envelope: 'pubsub' });
    const wrapped = {
      message: { data: Buffer.from('{"hello":"world"}').toString('base64'), messageId: '77' },
      subscription: 'projects/p/subscriptions/s',
    };
    expect(await post(wrapped)).toMatchObject({ statusCode: 200 });
    expect(await receive.quarantined()).toEqual([
      {
        reason: expect.stringContaining('Its fields: hello.'),
        deliveryId: '77',
        receivedAt: expect.stringMatching(/^\d{4}-/),
        envelope: 'pubsub',
        encoding: 'json',
        rawBody: wrapped,
      },
    ]);
  });
});

describe('answers and logs', () => {
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const wire = JSON.stringify(wireMessage());
  const signed = () => standardWebhooksRequest(wire, { secret: SECRET, at: new Date().toISOString() });

  it('contain no token, whether valid or wrong', async () => {
    await start();
    const answers = [
      await post(wireMessage()),
      await receive.post({ headers: { 'x-token': 'a-wrong-token' }, body: wire }),
    ];
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [200, '{"message":"OK"}'],
      [401, '{"message":"Unauthorized"}'],
    ]);
    expect(receive.log.join('')).toMatch(/unauthenticated/);
    expect(`${receive.log.join('')}${JSON.stringify(answers)}`).not.toMatch(/a-wrong-token|a-webhook-token/);
  });

  it('contain no secret and no signature, whether received or computed', async () => {
    receive.putSecret(SECRET);
    await receive.start({ kind: 'standard-webhooks' });
    const { headers } = signed();
    const altered = { headers: { ...headers, 'webhook-id': 'msg_2' }, body: wire };
    const expected = standardWebhooksRequest(wire, { secret: SECRET, at: new Date().toISOString(), id: 'msg_2' });
    const answers = [await receive.post({ headers, body: wire }), await receive.post(altered)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 401]);
    const output = `${receive.log.join('')}${JSON.stringify(answers)}`;
    for (const secret of [SECRET, headers['webhook-signature'], expected.headers['webhook-signature']]) {
      expect(output).not.toContain(String(secret).replace(/^(whsec_|v1,)/, ''));
    }
  });

  it('contain no bearer token, whether valid, expired, or altered', async () => {
    const issuer = await startIssuer(() => Math.floor(Date.now() / 1000));
    const auth = { audience: AUDIENCE, serviceAccountEmail: SERVICE_ACCOUNT, jwksUrl: issuer.jwksUrl };
    await receive.start({ kind: 'pubsub-jwt', ...auth });
    const valid = await issuer.sign();
    const tokens = [valid, await issuer.sign({ exp: 1 }), `${valid.slice(0, -8)}AAAAAAAA`];
    const answers = [];
    for (const token of tokens) {
      answers.push(await receive.post({ headers: { authorization: `Bearer ${token}` }, body: wire }));
    }
    await issuer.close();
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 401, 401]);
    const output = `${receive.log.join('')}${JSON.stringify(answers)}`;
    for (const part of tokens.flatMap((token) => token.split('.'))) expect(output).not.toContain(part);
  });

  it('contain no Amazon SNS signature', async () => {
    await receive.start({ kind: 'sns', topicArn: TOPIC });
    const foreign = { ...snsNotification({ TopicArn: `${TOPIC}-of-another` }), Signature: 'c2lnbmF0dXJlLW9mLXNucw==' };
    const answer = await receive.post({ headers: {}, body: JSON.stringify(foreign) });
    expect(answer).toMatchObject({ statusCode: 401 });
    expect(receive.log.join('')).toMatch(/unauthenticated/);
    expect(`${receive.log.join('')}${JSON.stringify(answer)}`).not.toContain(foreign.Signature);
  });

  it('do not quote a malformed secret', async () => {
    receive.putSecret('whsec_not!base64');
    await receive.start({ kind: 'standard-webhooks' });
    const { headers } = signed();
    expect(await receive.post({ headers, body: wire })).toMatchObject({ statusCode: 503 });
    expect(receive.log.join('')).toContain('ERR_SECRET_UNAVAILABLE');
    expect(receive.log.join('')).toContain("A line of the webhook's secret is not base64.");
    expect(receive.log.join('')).not.toContain('not!base64');
  });
});

describe('a token rotation', () => {
  it('needs no deployment: the new token is accepted once the secret may be read again, and the old one is not', async () => {
    await start();
    const postWith = async (token: string) =>
      (await receive.post({ headers: { 'x-token': token }, body: JSON.stringify(wireMessage()) })).statusCode;
    expect(await postWith(TOKEN)).toBe(200);
    receive.putSecret('a-new-webhook-token');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
    expect([await postWith('a-new-webhook-token'), await postWith(TOKEN)]).toEqual([200, 401]);
    vi.useRealTimers();
  });
});
