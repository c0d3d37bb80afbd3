import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  DAY_SECONDS,
  eventIn,
  eventually,
  startTestSandbox,
  startWithReceiver,
  USER,
  untilDelivered,
  userPath,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { type ReceivedRequest, startWebhookReceiver } from '../../support/webhook-receiver.ts';

const bearer = (request: ReceivedRequest | undefined): string =>
  request?.headers.authorization?.replace(/^Bearer /, '') ?? '';

describe('a webhook request', () => {
  test('is signed as by Google Cloud Pub/Sub, with a key from the key set (contract, "Events")', async () => {
    const { receiver, sandbox } = await startWithReceiver();

    await sandbox.control('POST /events', { any: 'thing' });
    await untilDelivered(sandbox);

    const verified = await jwtVerify(bearer(receiver.requests[0]), createRemoteJWKSet(new URL(sandbox.jwksUrl)), {
      algorithms: ['RS256'],
      audience: 'audience-of-the-test',
      issuer: 'https://accounts.google.com',
    });
    expect(verified.payload).toMatchObject({
      email: 'events@test.example',
      email_verified: true,
      azp: expect.any(String),
      sub: expect.any(String),
    });
    expect(Number(verified.payload.exp) - Number(verified.payload.iat)).toBe(3600);
  });

  test('is wrapped in the envelope of Google Cloud Pub/Sub (field notes, "The carrier")', async () => {
    const { receiver, sandbox } = await startWithReceiver();

    const answer = await sandbox.control('POST /events', { any: 'thing' });
    await untilDelivered(sandbox);

    const { messageId } = Object(answer.body);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(answer.status).toBe(202);
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toEqual({
      message: {
        data: Buffer.from('{"any":"thing"}').toString('base64'),
        attributes: {},
        messageId,
        message_id: messageId,
        publishTime: time,
        publish_time: time,
      },
      subscription: expect.stringMatching(/^projects\/.+\/subscriptions\/.+/),
    });
  });

  test('carries the bare event, byte for byte, if it is not wrapped, even if the event is not JSON', async () => {
    const { receiver, sandbox } = await startWithReceiver({}, { wrapped: false });

    await sandbox.control('POST /events', '{"n":  12345678901234567890}');
    await untilDelivered(sandbox);
    await sandbox.control('POST /events?raw', '{not JSON');
    await untilDelivered(sandbox);

    expect(receiver.requests.map(({ body }) => body)).toEqual(['{"n":  12345678901234567890}', '{not JSON']);
    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ deliveries: [{}, { event: '{not JSON' }] });
  });

  test("is signed with the time of the service's clock", async () => {
    const { receiver, sandbox } = await startWithReceiver();
    const moved = await sandbox.control('POST /clock', { advanceSeconds: 10 * DAY_SECONDS });

    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    const now = new Date(Object(moved.body).now);
    const keySet = createRemoteJWKSet(new URL(sandbox.jwksUrl));
    await expect(jwtVerify(bearer(receiver.requests[0]), keySet, { currentDate: now })).resolves.toBeDefined();
    expect(now.getTime()).toBeGreaterThan(Date.now() + 9 * DAY_SECONDS * 1000);
  });

  test('is signed with a new key after a rotation, which removes the old key from the key set', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    const rotated = await sandbox.control('POST /carrier/rotate-keys');
    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    const keySet = createRemoteJWKSet(new URL(sandbox.jwksUrl));
    const [before, after] = receiver.requests.map(bearer);
    await expect(jwtVerify(before ?? '', keySet)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    await expect(jwtVerify(after ?? '', keySet)).resolves.toBeDefined();
    expect(decodeProtectedHeader(after ?? '').kid).toBe(Object(rotated.body).kid);
  });

  test('is verified with a key set that can be cached and contains no private key', async () => {
    const sandbox = await startTestSandbox();

    const answer = await fetch(sandbox.jwksUrl);

    expect(answer.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(Object.keys(Object(await answer.json()).keys[0])).not.toContain('d');
  });
});

describe('a redelivery', () => {
  test('follows each answer that does not acknowledge the event (field notes, "The carrier")', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    receiver.answerWith(500, 400, 302, 404, 200);

    await sandbox.control('POST /events', { any: 'thing' });
    await untilDelivered(sandbox);

    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({
      deliveries: [500, 400, 302, 404, 200].map((status, index) => ({
        event: { any: 'thing' },
        attempt: index + 1,
        status,
        at: expect.any(String),
      })),
    });
    expect(new Set(receiver.requests.map(({ body }) => JSON.parse(body).message.messageId)).size).toBe(1);
  });

  test.each([102, 200, 201, 202, 204])('does not follow %i, which acknowledges the event', async (status) => {
    const { receiver, sandbox } = await startWithReceiver();
    receiver.answerWith(status);

    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ deliveries: [{ attempt: 1, status }] });
  });

  test('follows a timeout and a refused connection', async () => {
    const { receiver, sandbox } = await startWithReceiver({
      deliveryTimeoutMs: 50,
      webhook: webhookTo('http://127.0.0.1:1/webhook'),
    });
    receiver.answerWith(0, 200);

    await sandbox.control('POST /events', {});
    await eventually(async () => {
      expect(Object((await sandbox.control('GET /deliveries')).body).deliveries).not.toEqual([]);
    });
    sandbox.setWebhook(webhookTo(receiver.url));
    await untilDelivered(sandbox);

    const { deliveries } = Object((await sandbox.control('GET /deliveries')).body);
    expect(deliveries.at(0).error).toContain('ECONNREFUSED');
    expect(deliveries.at(-2)).toMatchObject({ status: null, error: 'No answer within 50 ms.' });
    expect(deliveries.at(-1)).toMatchObject({ status: 200 });
  });
});

describe('the delivery of events', () => {
  test('delivers every event even if the webhook fails from time to time', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    receiver.answerWith(...Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? 503 : 200)), 200);
    const numbers = Array.from({ length: 50 }, (_, index) => index);

    await Promise.all(numbers.map((number) => sandbox.control('POST /events', { number })));
    await untilDelivered(sandbox);

    const arrived = new Set(receiver.requests.map(({ body }) => eventIn(body).number));
    expect([...arrived].sort((a, b) => Number(a) - Number(b))).toEqual(numbers);
  });

  test('holds events until a webhook is set', async () => {
    const sandbox = await startTestSandbox();
    const receiver = await startWebhookReceiver();
    const written = await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    sandbox.setWebhook(webhookTo(receiver.url));
    await untilDelivered(sandbox);

    expect(receiver.requests.map(({ body }) => eventIn(body)._id_)).toEqual([Object(written.body)._id_]);
  });

  test('stops immediately when the sandbox closes, even during an unanswered request', async () => {
    const { receiver, sandbox } = await startWithReceiver({ deliveryTimeoutMs: 3_600_000 });
    receiver.answerWith(0);
    await sandbox.control('POST /events', {});
    await eventually(() => expect(receiver.requests).toHaveLength(1));

    await sandbox.close();

    await expect(fetch(sandbox.url)).rejects.toThrow();
  });
});
