import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ONE_ATTEMPT, TIME_BUDGET, WEBHOOK_ANSWER_MS } from '../../../../lambdas/receive/time-budget.ts';
import { wireMessage, wireStatus } from '../../../support/builders.ts';
import { AUDIENCE, SERVICE_ACCOUNT, startIssuer } from './issuer.ts';
import { type RealFunction, startRealFunction } from './real-function.ts';
import { snsNotification, standardWebhooksPost, TOPIC } from './signed-posts.ts';

// The function as its entry wires it, over real SDK clients, on the emulators.

const SHARED = { kind: 'shared-token', header: 'x-token' };
const TOKEN = 'a-token-of-the-carrier';
const CONTACT = 'CONTACT#chat#*#541155550000 CONTACT';

let receive: RealFunction;
beforeAll(async () => {
  receive = await startRealFunction();
});
afterAll(() => receive.close());

const post = (wire: unknown, pathParameters?: Record<string, string>) =>
  receive.post({ headers: { 'x-token': TOKEN }, body: JSON.stringify(wire), pathParameters });
/** Soon over, and enough for a table that answers at all, on a busy machine too. */
const TABLE_GONE = { table: 1_000 };
const PATIENTLY = { timeout: 25_000, interval: 200 };
const drainedItems = async () => {
  await receive.drain();
  return Object.keys(await receive.items());
};
const start = (environment: Record<string, string> = {}, budget: Partial<typeof TIME_BUDGET> = {}) => {
  receive.putSecret(TOKEN);
  return receive.start(SHARED, environment, budget);
};

describe('what an event costs', () => {
  it.each([
    ['an inbound message two writes and no read', wireMessage(), ['UpdateItem', 'UpdateItem']],
    ['a status one write', wireStatus(), ['UpdateItem']],
    ['an echo one write', wireMessage({ FROM: 'me' }), ['UpdateItem']],
    ['an unknown shape none', { hello: 'world' }, []],
  ])('%s', async (_case, wire, calls) => {
    await start();
    expect(await post(wire)).toMatchObject({ statusCode: 200 });
    expect(receive.table.calls).toEqual(calls);
    expect(receive.queues.calls).toHaveLength(calls.length === 0 ? 1 : 0);
  });
});

describe('the time that an answer takes', () => {
  it('is shared out so that verification, table and queue, one after another, leave room for a cold start', () => {
    const { verification, table, queue, start } = TIME_BUDGET;
    expect(verification + table + queue + start).toBeLessThanOrEqual(WEBHOOK_ANSWER_MS);
  });

  it('leaves time for a second attempt at table and queue', () => {
    const { connectionTimeout, requestTimeout } = ONE_ATTEMPT;
    expect(Math.max(connectionTimeout, requestTimeout)).toBeLessThan(Math.min(TIME_BUDGET.table, TIME_BUDGET.queue));
  });

  it('does not depend on the table: what it does not take waits in the queue, and is stored once it is back', async () => {
    await start({}, TABLE_GONE);
    receive.table.swallow(true);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => post(wireMessage({ _id_: `waits-${index}` }))),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect(await receive.items()).toEqual({});
    receive.table.swallow(false);
    await expect
      .poll(drainedItems, PATIENTLY)
      .toEqual(expect.arrayContaining([0, 1, 2, 3, 4].map((index) => `MESSAGE#waits-${index} MESSAGE`)));
  });

  it('does not depend on the queue either: with both gone the carrier is asked to come again', async () => {
    await start({}, { ...TABLE_GONE, queue: 100 });
    receive.table.swallow(true);
    receive.queues.swallow(true);
    expect(await post(wireMessage())).toMatchObject({ statusCode: 503 });
    receive.table.swallow(false);
    receive.queues.swallow(false);
  });

  it('spends the table’s share once in a second, not for each post of an outage', async () => {
    await start({}, TABLE_GONE);
    receive.table.swallow(true);
    vi.useFakeTimers({ toFake: ['Date'] });
    await post(wireMessage({ _id_: 'waits-for-it' }));
    const asked = receive.table.calls.length;
    for (let count = 0; count < 5; count += 1) await post(wireMessage({ _id_: `goes-on-${count}` }));
    expect(receive.table.calls.length).toBe(asked);
    vi.setSystemTime(Date.now() + 1_000);
    await post(wireMessage({ _id_: 'waits-again' }));
    expect(receive.table.calls.length).toBeGreaterThan(asked);
    vi.useRealTimers();
    receive.table.swallow(false);
  });
});

describe('a conversation window', () => {
  it('is not opened by a message six days late', async () => {
    await start();
    const written = new Date(Date.now() - 6 * 24 * 3600 * 1000).toISOString();
    await post(wireMessage({ CREATION_TIME: written }));
    expect((await receive.items())[CONTACT]).toMatchObject({ lastInboundAt: written });
  });

  it('is not opened beyond now and 24 hours by a message from the future', async () => {
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

  it('is kept per business number where the stage says so: by the path, else by the event', async () => {
    await start({ WINDOW_PER: 'channel' });
    await post(wireMessage({ _id_: 'by-path', TO: '+5491100000009' }), { chatChannelNumber: '+5491100000000' });
    await post(wireMessage({ _id_: 'by-channel-id', CHAT_CHANNEL_ID: '5491100000001' }));
    await post(wireMessage({ _id_: 'by-to', CHAT_CHANNEL_ID: 'a-name', TO: '+54 9 11 0000-0002' }));
    const windows = Object.keys(await receive.items()).filter((key) => key.endsWith(' CONTACT'));
    expect(windows.toSorted()).toEqual(
      ['541100000000', '541100000001', '541100000002'].map((number) => `CONTACT#chat#${number}#541155550000 CONTACT`),
    );
  });

  it('is not opened by a message that names no number where the stage asks for one; it is kept, and counted', async () => {
    await start({ WINDOW_PER: 'channel' });
    expect(await post(wireMessage())).toMatchObject({ statusCode: 200 });
    expect(Object.keys(await receive.items())).toEqual(['MESSAGE#message-1 MESSAGE']);
    expect(receive.log.join('')).toContain('"EventWithoutChannel":1');
  });

  it('knows the number of the path also when the post had to wait in the queue', async () => {
    await start({ WINDOW_PER: 'channel' }, TABLE_GONE);
    receive.table.swallow(true);
    await post(wireMessage(), { chatChannelNumber: '5491100000000' });
    receive.table.swallow(false);
    await expect.poll(drainedItems, PATIENTLY).toContain('CONTACT#chat#541100000000#541155550000 CONTACT');
  });
});

describe('an event that we do not know', () => {
  it('is kept aside with the reason, the carrier’s id, the arrival and the body as it came', async () => {
    await start();
    const wrapped = {
      message: { data: Buffer.from('{"hello":"world"}').toString('base64'), messageId: '77' },
      subscription: 'projects/p/subscriptions/s',
    };
    expect(await post(wrapped)).toMatchObject({ statusCode: 200 });
    expect(await receive.quarantined()).toEqual([
      {
        reason: expect.stringContaining('_id_'),
        carrierMessageId: '77',
        receivedAt: expect.stringMatching(/^\d{4}-/),
        encoding: 'utf8',
        rawBody: JSON.stringify(wrapped),
      },
    ]);
  });
});

describe('the answer and the log', () => {
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const wire = JSON.stringify(wireMessage());
  const signed = () => standardWebhooksPost(wire, { secret: SECRET, at: new Date().toISOString() });

  it('hold no token, neither the right one nor a wrong one', async () => {
    await start();
    const answers = [
      await post(wireMessage()),
      await receive.post({ headers: { 'x-token': 'a-wrong-token' }, body: wire }),
    ];
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [200, '{"message":"OK"}'],
      [401, '{"message":"Unauthorized"}'],
    ]);
    expect(receive.log.join('')).toMatch(/not the carrier/);
    expect(`${receive.log.join('')}${JSON.stringify(answers)}`).not.toMatch(/a-wrong-token|a-token-of/);
  });

  it('hold no secret and no signature, neither one that came nor one that was computed', async () => {
    receive.putSecret(SECRET);
    await receive.start({ kind: 'standard-webhooks' });
    const { headers } = signed();
    const altered = { headers: { ...headers, 'webhook-id': 'msg_2' }, body: wire };
    const expected = standardWebhooksPost(wire, { secret: SECRET, at: new Date().toISOString(), id: 'msg_2' });
    const answers = [await receive.post({ headers, body: wire }), await receive.post(altered)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 401]);
    const told = `${receive.log.join('')}${JSON.stringify(answers)}`;
    for (const secret of [SECRET, headers['webhook-signature'], expected.headers['webhook-signature']]) {
      expect(told).not.toContain(String(secret).replace(/^(whsec_|v1,)/, ''));
    }
  });

  it('hold no bearer token, be it right, expired or altered', async () => {
    const issuer = await startIssuer(() => Math.floor(Date.now() / 1000));
    const auth = { audience: AUDIENCE, serviceAccountEmail: SERVICE_ACCOUNT, jwksUrl: issuer.jwksUrl };
    await receive.start({ kind: 'pubsub-jwt', ...auth });
    const right = await issuer.sign();
    const tokens = [right, await issuer.sign({ exp: 1 }), `${right.slice(0, -8)}AAAAAAAA`];
    const answers = [];
    for (const token of tokens) {
      answers.push(await receive.post({ headers: { authorization: `Bearer ${token}` }, body: wire }));
    }
    await issuer.close();
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 401, 401]);
    const told = `${receive.log.join('')}${JSON.stringify(answers)}`;
    for (const part of tokens.flatMap((token) => token.split('.'))) expect(told).not.toContain(part);
  });

  it('hold no signature of SNS', async () => {
    await receive.start({ kind: 'sns', topicArn: TOPIC });
    const forged = { ...snsNotification({ TopicArn: `${TOPIC}-of-another` }), Signature: 'c2lnbmF0dXJlLW9mLXNucw==' };
    const answer = await receive.post({ headers: {}, body: JSON.stringify(forged) });
    expect(answer).toMatchObject({ statusCode: 401 });
    expect(receive.log.join('')).toMatch(/not the carrier/);
    expect(`${receive.log.join('')}${JSON.stringify(answer)}`).not.toContain(forged.Signature);
  });

  it('do not quote a secret that is malformed', async () => {
    receive.putSecret('whsec_not!base64');
    await receive.start({ kind: 'standard-webhooks' });
    const { headers } = signed();
    expect(await receive.post({ headers, body: wire })).toMatchObject({ statusCode: 503 });
    expect(receive.log.join('')).toContain('ERR_SECRET_UNAVAILABLE');
    expect(receive.log.join('')).not.toContain('not!base64');
  });
});

describe('a rotation', () => {
  it('needs no deploy: a new token counts once the secret may be read again, and the old one no longer', async () => {
    await start();
    const postWith = async (token: string) =>
      (await receive.post({ headers: { 'x-token': token }, body: JSON.stringify(wireMessage()) })).statusCode;
    expect(await postWith(TOKEN)).toBe(200);
    receive.putSecret('a-new-token');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
    expect([await postWith('a-new-token'), await postWith(TOKEN)]).toEqual([200, 401]);
    vi.useRealTimers();
  });
});
