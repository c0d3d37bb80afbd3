import { createVerify, X509Certificate } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { WebhookSettings } from '../../../sandbox/sandbox.ts';
import { eventually, startTestSandbox, startWithReceiver, untilDelivered } from '../../support/running-sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const EVENT = { MESSAGE: 'Señor 🍽️' };
const TOPIC = 'arn:aws:sns:sa-east-1:123456789012:chat-events';

/** Returns the webhook request that delivers one event with these settings. */
const deliverWith = async (settings: Omit<WebhookSettings, 'url'>) => {
  const { receiver, sandbox } = await startWithReceiver({}, settings);
  const { messageId } = Object((await sandbox.control('POST /events', EVENT)).body);
  await untilDelivered(sandbox);
  const [request = { headers: {}, body: '' }] = receiver.requests;
  return { ...request, messageId, sandbox };
};

describe('a webhook request signed with Standard Webhooks', () => {
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];

  test.each([true, false])('can be verified with each of several secrets (wrapped: %s)', async (wrapped) => {
    const { headers, body, messageId } = await deliverWith({ auth: { kind: 'standard-webhooks', secrets }, wrapped });

    expect(headers['webhook-id']).toBe(messageId);
    for (const secret of secrets) {
      // The specification's own library also checks the timestamp.
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

test('a webhook request with a shared token carries it in the configured header', async () => {
  const { headers } = await deliverWith({
    auth: { kind: 'shared-token', header: 'x-webhook-token', token: 'secret-1' },
  });

  expect(headers['x-webhook-token']).toBe('secret-1');
  expect(headers).not.toHaveProperty('authorization');
});

test('a webhook request without authentication has no additional headers', async () => {
  const { headers } = await deliverWith({ auth: { kind: 'none' } });

  expect(Object.keys(headers).sort()).toEqual(['connection', 'content-length', 'content-type', 'host']);
});

test('a bare webhook request with writeMetadata has the message id and the publish time in headers', async () => {
  const { headers, body, messageId } = await deliverWith({
    auth: { kind: 'none' },
    wrapped: false,
    writeMetadata: true,
  });

  expect(JSON.parse(body)).toEqual(EVENT);
  expect(headers).toMatchObject({
    'x-goog-pubsub-message-id': messageId,
    'x-goog-pubsub-publish-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

describe('a webhook request signed with SNS', () => {
  test.each([
    ['1', 'RSA-SHA1'],
    ['2', 'RSA-SHA256'],
  ] as const)(
    'has a signature of version %s that its certificate verifies (%s)',
    async (signatureVersion, algorithm) => {
      const { headers, body, sandbox } = await deliverWith({
        auth: { kind: 'sns', topicArn: TOPIC, signatureVersion, confirmed: true },
      });

      const envelope = JSON.parse(body);
      const pem = await (await fetch(envelope.SigningCertURL)).text();
      // The fields and their order are from "Verifying the signatures of Amazon SNS messages".
      const signed = ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type'].map(
        (name) => `${name}\n${envelope[name]}\n`,
      );
      const certificate = new X509Certificate(pem);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(
        createVerify(algorithm).update(signed.join('')).verify(certificate.publicKey, envelope.Signature, 'base64'),
      ).toBe(true);
      expect(envelope).toMatchObject({ Type: 'Notification', TopicArn: TOPIC, SignatureVersion: signatureVersion });
      expect(JSON.parse(envelope.Message)).toEqual(EVENT);
      expect(envelope.SigningCertURL).toContain(sandbox.url);
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=UTF-8',
        'x-amz-sns-message-type': 'Notification',
        'x-amz-sns-topic-arn': TOPIC,
      });
    },
  );

  test('is delivered only after the subscription is confirmed, which the first request asks for', async () => {
    const { receiver, sandbox } = await startWithReceiver({}, { auth: { kind: 'sns', topicArn: TOPIC } });
    await sandbox.control('POST /events', EVENT);
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    const [request] = receiver.requests;
    const envelope = JSON.parse(request?.body ?? '');
    const { Type, SubscribeURL, Token, SigningCertURL, Signature } = envelope;
    const { publicKey } = new X509Certificate(await (await fetch(SigningCertURL)).text());
    const signed = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const text = signed.map((name) => `${name}\n${envelope[name]}\n`).join('');
    const waiting = Object((await sandbox.control('GET /deliveries')).body).pending;

    const wrong = await fetch(`${sandbox.url}/carrier/sns/confirm?Token=guess`);
    const confirmed = await fetch(SubscribeURL);
    await untilDelivered(sandbox);

    expect([Type, waiting, wrong.status, confirmed.status]).toEqual(['SubscriptionConfirmation', 1, 403, 200]);
    expect(SubscribeURL).toContain(Token);
    expect(createVerify('RSA-SHA1').update(text).verify(publicKey, Signature, 'base64')).toBe(true);
    expect(receiver.requests.map(({ body }) => JSON.parse(body).Type)).toEqual([Type, 'Notification']);
  });

  test('carries the bare event without a signature if delivery is raw', async () => {
    const { body } = await deliverWith({ auth: { kind: 'sns', topicArn: TOPIC, confirmed: true }, wrapped: false });

    expect(JSON.parse(body)).toEqual(EVENT);
  });
});

describe('the webhook', () => {
  test('is set through the control API, which shows it without its secrets', async () => {
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
    expect(receiver.requests[0]?.headers['x-webhook-token']).toBe('secret-1');
  });
});
