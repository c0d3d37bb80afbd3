import { createVerify, X509Certificate } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { WebhookSettings } from '../../../sandbox/sandbox.ts';
import { readFeed } from '../../support/feed-reader.ts';
import { DAY_SECONDS, eventually, type RunningSandbox, startTestSandbox } from '../../support/running-sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const EVENT = { MESSAGE: 'Señor 🍽️' };
const TOPIC = 'arn:aws:sns:sa-east-1:123456789012:chat-events';

const untilDelivered = (sandbox: RunningSandbox) =>
  eventually(async () => {
    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ pending: 0 });
  });

/** The post by which one event comes to a webhook of these settings. */
const postWith = async (settings: Omit<WebhookSettings, 'url'>) => {
  const receiver = await startWebhookReceiver();
  const sandbox = await startTestSandbox({ webhook: { url: receiver.url, ...settings } });
  const { messageId } = Object((await sandbox.control('POST /events', EVENT)).body);
  await untilDelivered(sandbox);
  const [post = { headers: {}, body: '' }] = receiver.posts;
  return { ...post, messageId, sandbox, receiver };
};

describe('a push signed by Standard Webhooks', () => {
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];

  test.each([true, false])('is verified with each of several secrets (wrapped: %s)', async (wrapped) => {
    const { headers, body, messageId } = await postWith({ auth: { kind: 'standard-webhooks', secrets }, wrapped });

    expect(headers['webhook-id']).toBe(messageId);
    for (const secret of secrets) {
      // The specification's own library, which checks the timestamp as well.
      const verified = new Webhook(secret).verify(body, {
        'webhook-id': String(headers['webhook-id']),
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      });
      expect(verified).toEqual(JSON.parse(body));
    }
    if (!wrapped) expect(JSON.parse(body)).toEqual(EVENT);
  });
});

test('a push with a shared token carries it in the header of its name', async () => {
  const { headers } = await postWith({ auth: { kind: 'shared-token', header: 'x-webhook-token', token: 'secret-1' } });

  expect(headers['x-webhook-token']).toBe('secret-1');
  expect(headers).not.toHaveProperty('authorization');
});

test('a push without a signature carries nothing', async () => {
  const { headers } = await postWith({ auth: { kind: 'none' } });

  expect(Object.keys(headers).sort()).toEqual(['connection', 'content-length', 'content-type', 'host']);
});

test("a bare push tells the carrier's id and time in headers when it is asked to", async () => {
  const { headers, body, messageId } = await postWith({ auth: { kind: 'none' }, wrapped: false, writeMetadata: true });

  expect(JSON.parse(body)).toEqual(EVENT);
  expect(headers).toMatchObject({
    'x-goog-pubsub-message-id': messageId,
    'x-goog-pubsub-publish-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

describe('a push signed by SNS', () => {
  test.each([
    ['1', 'RSA-SHA1'],
    ['2', 'RSA-SHA256'],
  ] as const)(
    'has a signature of version %s that its certificate verifies (%s)',
    async (signatureVersion, algorithm) => {
      const { headers, body, sandbox } = await postWith({
        auth: { kind: 'sns', topicArn: TOPIC, signatureVersion, confirmed: true },
      });

      const post = JSON.parse(body);
      const pem = await (await fetch(post.SigningCertURL)).text();
      // The fields and their order are those of "Verifying the signatures of Amazon SNS messages".
      const signed = ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type'].map(
        (name) => `${name}\n${post[name]}\n`,
      );
      const certificate = new X509Certificate(pem);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(
        createVerify(algorithm).update(signed.join('')).verify(certificate.publicKey, post.Signature, 'base64'),
      ).toBe(true);
      expect(post).toMatchObject({ Type: 'Notification', TopicArn: TOPIC, SignatureVersion: signatureVersion });
      expect(JSON.parse(post.Message)).toEqual(EVENT);
      expect(post.SigningCertURL).toContain(sandbox.url);
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=UTF-8',
        'x-amz-sns-message-type': 'Notification',
        'x-amz-sns-topic-arn': TOPIC,
      });
    },
  );

  test('comes only after the subscription was confirmed, which is asked for first', async () => {
    const receiver = await startWebhookReceiver();
    const sandbox = await startTestSandbox({ webhook: { url: receiver.url, auth: { kind: 'sns', topicArn: TOPIC } } });
    await sandbox.control('POST /events', EVENT);
    await eventually(() => expect(receiver.posts).toHaveLength(1));
    const [request] = receiver.posts;
    const asked = JSON.parse(request?.body ?? '');
    const { Type, SubscribeURL, Token, SigningCertURL, Signature } = asked;
    const { publicKey } = new X509Certificate(await (await fetch(SigningCertURL)).text());
    const signed = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const text = signed.map((name) => `${name}\n${asked[name]}\n`).join('');
    const waiting = Object((await sandbox.control('GET /deliveries')).body).pending;

    const wrong = await fetch(`${sandbox.url}/carrier/sns/confirm?Token=guess`);
    const confirmed = await fetch(SubscribeURL);
    await untilDelivered(sandbox);

    expect([Type, waiting, wrong.status, confirmed.status]).toEqual(['SubscriptionConfirmation', 1, 403, 200]);
    expect(SubscribeURL).toContain(Token);
    expect(createVerify('RSA-SHA1').update(text).verify(publicKey, Signature, 'base64')).toBe(true);
    expect(receiver.posts.map(({ body }) => JSON.parse(body).Type)).toEqual([Type, 'Notification']);
  });

  test('is the bare event without a signature when delivery is raw', async () => {
    const { body } = await postWith({ auth: { kind: 'sns', topicArn: TOPIC, confirmed: true }, wrapped: false });

    expect(JSON.parse(body)).toEqual(EVENT);
  });
});

describe('the webhook', () => {
  test('is set by the control API, which shows it without its secrets', async () => {
    const receiver = await startWebhookReceiver();
    const sandbox = await startTestSandbox();
    const none = await sandbox.control('GET /webhook');

    const auth = { kind: 'shared-token', header: 'x-webhook-token', token: 'secret-1' };
    const set = await sandbox.control('PUT /webhook', { url: receiver.url, auth });
    await sandbox.control('POST /events', EVENT);
    await untilDelivered(sandbox);

    expect(none.status).toBe(404);
    expect(set.body).toEqual({ url: receiver.url, kind: 'shared-token', wrapped: true });
    expect((await sandbox.control('GET /webhook')).body).toEqual(set.body);
    expect(receiver.posts[0]?.headers['x-webhook-token']).toBe('secret-1');
  });
});

describe('the seven days', () => {
  const startRefusing = async () => {
    const receiver = await startWebhookReceiver();
    receiver.answerWith(503);
    const sandbox = await startTestSandbox({ webhook: { url: receiver.url, auth: { kind: 'none' } } });
    await sandbox.control('POST /events', EVENT);
    await eventually(() => expect(receiver.posts.length).toBeGreaterThan(0));
    return { receiver, sandbox };
  };

  test('an event that was refused for six days arrives (contract, "Limits": webhook message retention, 7 days)', async () => {
    const { receiver, sandbox } = await startRefusing();
    await sandbox.control('POST /clock', { advanceSeconds: 6 * DAY_SECONDS });

    receiver.answerWith(200);
    await untilDelivered(sandbox);

    const { deliveries, expired } = Object((await sandbox.control('GET /deliveries')).body);
    expect(deliveries.at(-1)).toMatchObject({ event: EVENT, status: 200 });
    expect(expired).toEqual([]);
  });

  test('an event that was refused for eight days does not, and the deliveries say so', async () => {
    const { receiver, sandbox } = await startRefusing();
    await sandbox.control('POST /clock', { advanceSeconds: 8 * DAY_SECONDS });

    receiver.answerWith(200);
    await untilDelivered(sandbox);

    await eventually(async () => {
      const { deliveries, expired } = Object((await sandbox.control('GET /deliveries')).body);
      expect(deliveries.filter(({ status }: { status: number }) => status === 200)).toEqual([]);
      expect(expired).toMatchObject([{ event: EVENT, attempts: deliveries.length, publishedAt: expect.any(String) }]);
    });
  });

  test('moving the clock ends the pause after a refusal, and says at once what has expired', async () => {
    const receiver = await startWebhookReceiver();
    receiver.answerWith(503, 200);
    const hourMs = 3_600_000;
    const sandbox = await startTestSandbox({
      webhook: { url: receiver.url, auth: { kind: 'none' } },
      carrierBackoff: { minimumMs: hourMs, maximumMs: hourMs },
    });
    await sandbox.control('POST /events', EVENT);
    await eventually(async () => {
      expect(Object((await sandbox.control('GET /deliveries')).body).deliveries).toMatchObject([{ status: 503 }]);
    });

    await sandbox.control('POST /clock', { advanceSeconds: 3_600 });
    await untilDelivered(sandbox);

    expect(receiver.posts).toHaveLength(2);
    const holding = await startTestSandbox();
    const feed = await readFeed(holding.url);
    await holding.control('POST /events', EVENT);
    await holding.control('POST /clock', { advanceSeconds: 8 * DAY_SECONDS });
    await feed.until('event-expired');
    expect(feed.ofType('event-expired')).toMatchObject([{ event: EVENT, attempts: 0 }]);
  });

  test('what arrived is replayed while it is retained, since a time or by its id', async () => {
    const receiver = await startWebhookReceiver();
    const sandbox = await startTestSandbox({ webhook: { url: receiver.url, auth: { kind: 'none' }, wrapped: false } });
    await sandbox.control('POST /events', { day: 0 });
    await untilDelivered(sandbox);
    const { now } = Object((await sandbox.control('POST /clock', { advanceSeconds: 2 * DAY_SECONDS })).body);
    const second = await sandbox.control('POST /events', { day: 2 });
    await untilDelivered(sandbox);
    const replay = async (body: unknown) => {
      const answer = await sandbox.control('POST /replay', body);
      await untilDelivered(sandbox);
      return answer.body;
    };

    const all = await replay({});
    const since = await replay({ from: now });
    const byId = await replay({ messageIds: [Object(second.body).messageId, 'unknown'] });
    await sandbox.control('POST /clock', { advanceSeconds: 6 * DAY_SECONDS });
    const later = await replay({});

    expect([all, since, byId, later]).toEqual([{ replayed: 2 }, { replayed: 1 }, { replayed: 1 }, { replayed: 1 }]);
    const days = receiver.posts.map(({ body }) => JSON.parse(body).day);
    expect(days.filter((day) => day === 0)).toHaveLength(2);
    expect(days.filter((day) => day === 2)).toHaveLength(5);
  });
});
