import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { openEnvelope, type VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import { createSnsVerifier } from '../../../../lambdas/receive/auth/sns-verifier.ts';
import { createWebhookHandler } from '../../../../lambdas/receive/webhook-handler.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';
import { selfSignedCertificate } from '../../../support/self-signed-certificate.ts';
import { signSns, snsConfirmation, snsNotification, TOPIC } from '../../../support/signed-requests.ts';
import { recordingMetrics, silentLog } from '../../../support/telemetry.ts';

const { pem, privateKey } = selfSignedCertificate(new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z'));
const GENUINE = JSON.stringify(wireMessage());
const UNSIGNED = wireMessage({ _id_: 'unsigned', MESSAGE: 'Nobody wrote this.' });
const unsignedPush = {
  message: { data: Buffer.from(JSON.stringify(UNSIGNED)).toString('base64'), messageId: 'unsigned' },
};

/** Posts a body to a webhook that is verified by Amazon SNS. Returns what Parley reads as the event. */
const readEvent = async (body: Record<string, unknown>) => {
  const requests: VerifiedRequest[] = [];
  const handler = createWebhookHandler({
    verifier: createSnsVerifier(
      { kind: 'sns', topicArn: TOPIC },
      { get: async () => ({ text: pem, headers: new Headers() }), clock: { now: () => NOW }, fetchTimeoutMs: 400 },
    ),
    format: { envelope: 'sns', readsPubsubHeaders: false },
    receiveEvent: async (request) => {
      requests.push(request);
      return 'stored';
    },
    clock: { now: () => NOW },
    log: silentLog,
    metrics: recordingMetrics(),
  });
  // The handler reads nothing else of the event.
  const event = {
    headers: {},
    body: JSON.stringify(body),
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
  await handler(event);
  return requests.map(openEnvelope);
};

describe('a body with fields that Amazon SNS did not sign', () => {
  const notification = signSns(snsNotification({ Message: GENUINE, Subject: 'Event' }), privateKey);
  const confirmation = signSns({ ...snsConfirmation(), Type: 'UnsubscribeConfirmation' }, privateKey);

  it.each([
    ['a Pub/Sub push around a notification', { ...notification, ...unsignedPush }],
    ['an event around a notification', { ...notification, ...UNSIGNED }],
  ])('is read as the signed message alone: %s', async (_case, body) => {
    expect(await readEvent(body)).toEqual([
      {
        kind: 'opened',
        eventBody: GENUINE,
        publishedAt: '2026-11-20T11:59:00.000Z',
        deliveryId: String(notification.MessageId),
      },
    ]);
  });

  it.each([
    ['a Pub/Sub push', unsignedPush],
    ['an event', UNSIGNED],
  ])('is not read as an event when it is %s around a signed confirmation', async (_case, unsigned) => {
    expect(JSON.stringify(await readEvent({ ...confirmation, ...unsigned }))).not.toMatch(/unsigned|Nobody/);
  });
});
