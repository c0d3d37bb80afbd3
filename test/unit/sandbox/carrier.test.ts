import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  DAY_SECONDS,
  eventIn,
  eventually,
  type RunningSandbox,
  startTestSandbox,
  USER,
  userPath,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { type ReceivedPost, startWebhookReceiver } from '../../support/webhook-receiver.ts';

const bearer = (post: ReceivedPost | undefined): string => post?.headers.authorization?.replace(/^Bearer /, '') ?? '';

const pending = async (sandbox: RunningSandbox): Promise<unknown> =>
  Object((await sandbox.control('GET /deliveries')).body).pending;

const untilDelivered = (sandbox: RunningSandbox) => eventually(async () => expect(await pending(sandbox)).toBe(0));

const startBoth = async (options: Parameters<typeof startTestSandbox>[0] = {}) => {
  const receiver = await startWebhookReceiver();
  const sandbox = await startTestSandbox({ webhook: webhookTo(receiver.url), ...options });
  return { receiver, sandbox };
};

describe('a push', () => {
  test('is signed as Google Cloud Pub/Sub signs, with a key of the key set (contract: "messages are signed")', async () => {
    const { receiver, sandbox } = await startBoth();

    await sandbox.control('POST /events', { any: 'thing' });
    await untilDelivered(sandbox);

    const verified = await jwtVerify(bearer(receiver.posts[0]), createRemoteJWKSet(new URL(sandbox.jwksUrl)), {
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

  test('is wrapped in the carrier\'s envelope (field notes, "The carrier")', async () => {
    const { receiver, sandbox } = await startBoth();

    const answer = await sandbox.control('POST /events', { any: 'thing' });
    await untilDelivered(sandbox);

    const { messageId } = Object(answer.body);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(answer.status).toBe(202);
    expect(JSON.parse(receiver.posts[0]?.body ?? '')).toEqual({
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

  test('is bare when the webhook asks for it, byte for byte, even when it is no JSON', async () => {
    const receiver = await startWebhookReceiver();
    const sandbox = await startTestSandbox({ webhook: { ...webhookTo(receiver.url), wrapped: false } });

    await sandbox.control('POST /events', '{"n":  12345678901234567890}');
    await untilDelivered(sandbox);
    await sandbox.control('POST /events?raw', '{not JSON');
    await untilDelivered(sandbox);

    expect(receiver.posts.map((post) => post.body)).toEqual(['{"n":  12345678901234567890}', '{not JSON']);
    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ deliveries: [{}, { event: '{not JSON' }] });
  });

  test("is signed at the time of the service's clock", async () => {
    const { receiver, sandbox } = await startBoth();
    const moved = await sandbox.control('POST /clock', { advanceSeconds: 10 * DAY_SECONDS });

    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    const now = new Date(Object(moved.body).now);
    const keySet = createRemoteJWKSet(new URL(sandbox.jwksUrl));
    await expect(jwtVerify(bearer(receiver.posts[0]), keySet, { currentDate: now })).resolves.toBeDefined();
    expect(now.getTime()).toBeGreaterThan(Date.now() + 9 * DAY_SECONDS * 1000);
  });

  test('is signed with a new key after a rotation, and the old key has left the key set', async () => {
    const { receiver, sandbox } = await startBoth();
    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    const rotated = await sandbox.control('POST /carrier/rotate-keys');
    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    const keySet = createRemoteJWKSet(new URL(sandbox.jwksUrl));
    const [before, after] = receiver.posts.map(bearer);
    await expect(jwtVerify(before ?? '', keySet)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    await expect(jwtVerify(after ?? '', keySet)).resolves.toBeDefined();
    expect(decodeProtectedHeader(after ?? '').kid).toBe(Object(rotated.body).kid);
  });

  test('the key set may be cached', async () => {
    const sandbox = await startTestSandbox();

    const answer = await fetch(sandbox.jwksUrl);

    expect(answer.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(Object.keys(Object(await answer.json()).keys[0])).not.toContain('d');
  });
});

describe('a redelivery', () => {
  test('follows every answer that does not acknowledge, until one does (field notes, "The carrier")', async () => {
    const { receiver, sandbox } = await startBoth();
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
    expect(new Set(receiver.posts.map((post) => JSON.parse(post.body).message.messageId)).size).toBe(1);
  });

  test.each([102, 200, 201, 202, 204])('does not follow %i, which acknowledges', async (status) => {
    const { receiver, sandbox } = await startBoth();
    receiver.answerWith(status);

    await sandbox.control('POST /events', {});
    await untilDelivered(sandbox);

    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ deliveries: [{ attempt: 1, status }] });
  });

  test('follows when no answer comes in time, and when nobody listens', async () => {
    const { receiver, sandbox } = await startBoth({
      carrierAnswerTimeoutMs: 50,
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

  test('comes no more after 7 days of the service\'s clock (contract, "Limits": webhook message retention, 7 days)', async () => {
    const sandbox = await startTestSandbox();
    const receiver = await startWebhookReceiver();
    await sandbox.control('POST /events', { day: 0 });
    await sandbox.control('POST /clock', { advanceSeconds: DAY_SECONDS });
    await sandbox.control('POST /events', { day: 1 });
    const kept = await pending(sandbox);
    await sandbox.control('POST /clock', { advanceSeconds: 6 * DAY_SECONDS });

    const keptAfter = await pending(sandbox);
    sandbox.setWebhook(webhookTo(receiver.url));
    await untilDelivered(sandbox);

    expect([kept, keptAfter]).toEqual([2, 1]);
    expect(receiver.posts.map((post) => eventIn(post.body))).toEqual([{ day: 1 }]);
  });
});

describe('the carrier', () => {
  test('brings every one of many events while the webhook fails now and then', async () => {
    const { receiver, sandbox } = await startBoth();
    receiver.answerWith(...Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? 503 : 200)), 200);
    const numbers = Array.from({ length: 50 }, (_, index) => index);

    await Promise.all(numbers.map((number) => sandbox.control('POST /events', { number })));
    await untilDelivered(sandbox);

    const arrived = new Set(receiver.posts.map((post) => eventIn(post.body).number));
    expect([...arrived].sort((a, b) => Number(a) - Number(b))).toEqual(numbers);
  });

  test('holds events until there is a webhook', async () => {
    const sandbox = await startTestSandbox();
    const receiver = await startWebhookReceiver();
    const written = await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    sandbox.setWebhook(webhookTo(receiver.url));
    await untilDelivered(sandbox);

    expect(receiver.posts.map((post) => eventIn(post.body)._id_)).toEqual([Object(written.body)._id_]);
  });

  test('ends at once when the sandbox is closed, even amid a push that nobody answers', async () => {
    const { receiver, sandbox } = await startBoth({ carrierAnswerTimeoutMs: 3_600_000 });
    receiver.answerWith(0);
    await sandbox.control('POST /events', {});
    await eventually(() => expect(receiver.posts).toHaveLength(1));

    await sandbox.close();

    await expect(fetch(sandbox.url)).rejects.toThrow();
  });
});
