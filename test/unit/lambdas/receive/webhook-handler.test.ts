import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { MAX_EVENT_BYTES } from '../../../../lambdas/domain/serialized-request.ts';
import type { DeliveryFormat } from '../../../../lambdas/domain/webhook-auth.ts';
import type { VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import type { Log, Verdict, WriteResult } from '../../../../lambdas/ports.ts';
import { createReceiveEvents } from '../../../../lambdas/receive/receive-events.ts';
import type { StoreResult } from '../../../../lambdas/receive/store-events.ts';
import { createWebhookHandler } from '../../../../lambdas/receive/webhook-handler.ts';
import { NOW, TRACEPARENT, wireMessage } from '../../../support/builders.ts';
import { incompressibleText, PLAIN_CHARACTERS } from '../../../support/incompressible.ts';
import { recordingLog, recordingMetrics, silentLog } from '../../../support/telemetry.ts';

const WRITTEN: WriteResult = { kind: 'written' };
const QUEUE_UNAVAILABLE: WriteResult = { kind: 'unavailable', reason: 'TimeoutError' };
const STORED: StoreResult = { kind: 'stored', event: 'message', id: 'message-1' };
const UNSTORABLE: StoreResult = { kind: 'unstorable', reason: 'not JSON' };
const TABLE_UNAVAILABLE: StoreResult = { kind: 'unavailable', reason: 'TimeoutError' };

interface Situation {
  readonly verdict?: Verdict;
  readonly stored?: StoreResult;
  readonly queue?: WriteResult;
  readonly event?: Partial<APIGatewayProxyEventV2>;
  readonly log?: Log;
  readonly format?: DeliveryFormat;
}

/** Posts to the webhook, where everything works except what the test says. Returns the answer and what was done. */
const post = async (situation: Situation) => {
  const { verdict = { kind: 'authentic' }, stored = STORED, queue = WRITTEN, event = {}, log = silentLog } = situation;
  const { format = { envelope: 'pubsub', readsPubsubHeaders: true } } = situation;
  const requests: VerifiedRequest[] = [];
  const queued: string[] = [];
  const queuedRequests: VerifiedRequest[] = [];
  const metrics = recordingMetrics();
  const handler = createWebhookHandler({
    verifier: { verify: async () => verdict },
    format,
    receiveEvents: createReceiveEvents({
      storeEvents: async (request) => {
        requests.push(request);
        return [stored];
      },
      inboundQueue: {
        defer: async (request) => {
          queuedRequests.push(request);
          queued.push('deferred');
          return queue;
        },
        quarantine: async (request, reason) => {
          queuedRequests.push(request);
          queued.push(`quarantined: ${reason}`);
          return queue;
        },
      },
      log: silentLog,
      metrics,
    }),
    clock: { now: () => NOW },
    log,
    metrics,
  });
  const full = { headers: {}, body: JSON.stringify(wireMessage()), isBase64Encoded: false, ...event };
  // The handler reads nothing else of the event.
  const answer = await handler(full as APIGatewayProxyEventV2);
  return {
    status: answer.statusCode,
    body: answer.body,
    requests,
    queued,
    queuedRequests,
    counted: metrics.counted,
  };
};

describe('the webhook answers an authentic request', () => {
  it.each<[string, Situation, number, string[], string | undefined]>([
    // Counted by its log line.
    ['200 when its event is stored', {}, 200, [], undefined],
    [
      '200 when its event is unknown and quarantined',
      { stored: UNSTORABLE },
      200,
      ['quarantined: not JSON'],
      'EventQuarantined',
    ],
    [
      '200 when the table is unavailable and the event is deferred',
      { stored: TABLE_UNAVAILABLE },
      200,
      ['deferred'],
      'EventDeferred',
    ],
    [
      '503 when the table and the queue are unavailable',
      { stored: TABLE_UNAVAILABLE, queue: QUEUE_UNAVAILABLE },
      503,
      ['deferred'],
      'EventNotStored',
    ],
    [
      '503 when its event is unknown and the queue is unavailable',
      { stored: UNSTORABLE, queue: QUEUE_UNAVAILABLE },
      503,
      ['quarantined: not JSON'],
      'EventNotStored',
    ],
  ])('with %s', async (_case, situation, status, queued, metric) => {
    expect(await post(situation)).toMatchObject({ status, queued, counted: metric === undefined ? [] : [metric] });
  });

  it('with 413 when it is too large for the inbound queue, even compressed', async () => {
    const random = incompressibleText(1024 * 1024, PLAIN_CHARACTERS);
    const fits = await post({ event: { body: JSON.stringify({ _id_: random.slice(0, MAX_EVENT_BYTES - 11) }) } });
    const tooLarge = await post({ event: { body: JSON.stringify({ _id_: random }) } });
    expect([fits.status, tooLarge.status]).toEqual([200, 413]);
    expect(tooLarge).toMatchObject({ requests: [], counted: ['EventTooLarge'] });
  });
});

describe('the webhook answers a request that is not an authentic event', () => {
  it('with 401 and a constant body when it is unauthenticated, without reading it', async () => {
    const result = await post({ verdict: { kind: 'unauthenticated', reason: 'claim aud' } });
    expect(result).toMatchObject({
      status: 401,
      body: '{"message":"Unauthorized"}',
      requests: [],
      // The body is that of an event.
      counted: ['WebhookUnauthenticated', 'LikelyEventRefused'],
    });
  });

  it('with 503 while verification is unavailable', async () => {
    const result = await post({ verdict: { kind: 'unavailable', reason: 'ERR_KEYS_UNAVAILABLE' } });
    expect(result).toMatchObject({ status: 503, requests: [], counted: ['WebhookVerificationUnavailable'] });
  });

  it('with 200 when it is a completed handshake', async () => {
    const result = await post({ verdict: { kind: 'handshake', reason: 'subscription confirmed' } });
    expect(result).toMatchObject({ status: 200, requests: [], queued: [], counted: ['WebhookHandshake'] });
  });
});

describe('the webhook when the publish/subscribe system reports that it was unsubscribed', () => {
  it('answers 200, stores nothing, counts it, and logs an error', async () => {
    const log = recordingLog();
    const result = await post({ verdict: { kind: 'unsubscribed', reason: 'no longer' }, log });
    expect(result).toMatchObject({ status: 200, requests: [], queued: [], counted: ['WebhookUnsubscribed'] });
    expect(log.logged).toEqual([['error', 'webhook unsubscribed', { reason: 'no longer' }]]);
  });
});

describe('a webhook request', () => {
  it('is quarantined with the delivery id from its envelope', async () => {
    const quarantined = await post({ stored: { ...UNSTORABLE, deliveryId: '77' } });
    expect(quarantined.queuedRequests).toMatchObject([{ deliveryId: '77' }]);
  });

  it('is read as bytes, decoded from base64, with the delivery metadata and the arrival time', async () => {
    const { requests } = await post({
      event: {
        body: Buffer.from('ñ').toString('base64'),
        isBase64Encoded: true,
        headers: { 'x-goog-pubsub-message-id': '7', 'x-goog-pubsub-publish-time': '2026-11-20T11:59:00Z' },
      },
    });
    expect(requests).toEqual([
      {
        rawBody: Buffer.from('ñ'),
        envelope: 'pubsub',
        receivedAt: NOW,
        deliveryId: '7',
        publishedAt: '2026-11-20T11:59:00.000Z',
      },
    ]);
  });

  it('belongs to the trace that its headers name', async () => {
    const { requests } = await post({ event: { headers: { traceparent: TRACEPARENT } } });
    expect(requests).toMatchObject([{ traceparent: TRACEPARENT }]);
  });

  it('is received without a trace if the header is not a valid one', async () => {
    const { status, requests } = await post({ event: { headers: { traceparent: `${TRACEPARENT},${TRACEPARENT}` } } });
    expect(status).toBe(200);
    expect(requests[0]).not.toHaveProperty('traceparent');
  });

  it.each([
    ['+5491100000000', { chatChannelNumber: '+5491100000000' }],
    ['5491100000000', { chatChannelNumber: '5491100000000' }],
    ['main', {}],
    ['BIZ-chat-5491100000000', { chatChannelNumber: 'BIZ-chat-5491100000000' }],
    ['9'.repeat(65), {}],
  ])('takes the business number from the path segment %s only if it is one', async (chatChannelNumber, expected) => {
    const { requests } = await post({ event: { pathParameters: { chatChannelNumber } } });
    const { rawBody, receivedAt, envelope, ...metadata } = requests[0] ?? {};
    expect(metadata).toEqual({ deliveryId: undefined, publishedAt: undefined, ...expected });
  });

  const PUBSUB_HEADERS = {
    'x-goog-pubsub-message-id': '7',
    'x-goog-pubsub-publish-time': '2026-11-20T11:59:00Z',
    'webhook-id': 'msg_2',
  };
  it('has the id that its signature covers and, where a signature covers only the body, no metadata from headers', async () => {
    const format = { envelope: undefined, readsPubsubHeaders: false };
    const signed = await post({
      verdict: { kind: 'authentic', deliveryId: 'msg_1' },
      format,
      event: { headers: PUBSUB_HEADERS },
    });
    expect(signed.requests).toEqual([{ rawBody: expect.any(Buffer), receivedAt: NOW, deliveryId: 'msg_1' }]);
    const unsigned = await post({ format, event: { headers: PUBSUB_HEADERS } });
    expect(unsigned.requests).toEqual([{ rawBody: expect.any(Buffer), receivedAt: NOW }]);
  });

  it('may have no body', async () => {
    expect((await post({ event: { body: undefined } })).requests[0]?.rawBody).toHaveLength(0);
  });
});
