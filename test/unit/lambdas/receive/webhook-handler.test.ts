import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { VerifiedPost } from '../../../../lambdas/domain/verified-post.ts';
import type { Verdict, WriteResult } from '../../../../lambdas/ports.ts';
import { createReceiveEvent } from '../../../../lambdas/receive/receive-event.ts';
import type { StoredEvent } from '../../../../lambdas/receive/store-event.ts';
import { createWebhookHandler } from '../../../../lambdas/receive/webhook-handler.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';
import { countingMetrics, silentLog } from '../../../support/silent.ts';

const WRITTEN: WriteResult = { kind: 'written' };
const GONE: WriteResult = { kind: 'unreachable', reason: 'TimeoutError' };
const STORED: StoredEvent = { kind: 'stored', event: 'message', id: 'message-1' };
const UNSTORABLE: StoredEvent = { kind: 'unstorable', reason: 'not JSON' };
const UNREACHABLE: StoredEvent = { kind: 'unreachable', reason: 'TimeoutError' };

interface World {
  readonly verdict?: Verdict;
  readonly stored?: StoredEvent;
  readonly queue?: WriteResult;
  readonly event?: Partial<APIGatewayProxyEventV2>;
}

/** Posts to the webhook in a world where all is well but for what the test says; answers what was done. */
const post = async ({ verdict = { kind: 'authentic' }, stored = STORED, queue = WRITTEN, event = {} }: World) => {
  const posts: VerifiedPost[] = [];
  const queued: string[] = [];
  const queuedPosts: VerifiedPost[] = [];
  const metrics = countingMetrics();
  const handler = createWebhookHandler({
    verifier: { verify: async () => verdict },
    receiveEvent: createReceiveEvent({
      storeEvent: async (verified) => {
        posts.push(verified);
        return stored;
      },
      inboundQueue: {
        defer: async (deferred) => {
          queuedPosts.push(deferred);
          queued.push('deferred');
          return queue;
        },
        quarantine: async (quarantined, reason) => {
          queuedPosts.push(quarantined);
          queued.push(`quarantined: ${reason}`);
          return queue;
        },
      },
      log: silentLog,
      metrics,
    }),
    clock: { now: () => NOW },
    log: silentLog,
    metrics,
  });
  const full = { headers: {}, body: JSON.stringify(wireMessage()), isBase64Encoded: false, ...event };
  const answer = await handler(full as APIGatewayProxyEventV2);
  return { status: answer.statusCode, body: answer.body, posts, queued, queuedPosts, counted: metrics.counted };
};

describe('the webhook’s answer', () => {
  it.each<[string, World, number, string[], string]>([
    ['stored', {}, 200, [], 'EventStored'],
    ['no event that we know', { stored: UNSTORABLE }, 200, ['quarantined: not JSON'], 'EventQuarantined'],
    ['the table out of reach', { stored: UNREACHABLE }, 200, ['deferred'], 'EventDeferred'],
    ['table and queue out of reach', { stored: UNREACHABLE, queue: GONE }, 503, ['deferred'], 'EventUnavailable'],
    [
      'no event, and the queue out of reach',
      { stored: UNSTORABLE, queue: GONE },
      503,
      ['quarantined: not JSON'],
      'EventUnavailable',
    ],
  ])('to an authentic post: %s', async (_case, world, status, queued, metric) => {
    expect(await post(world)).toMatchObject({ status, queued, counted: [metric] });
  });

  it('to a forged post is 401 with a constant body, and nothing is read', async () => {
    const result = await post({ verdict: { kind: 'forged', reason: 'claim aud' } });
    expect(result).toMatchObject({
      status: 401,
      body: '{"message":"Unauthorized"}',
      posts: [],
      counted: ['WebhookForged'],
    });
  });

  it('is 503 while the keys for the check cannot be had', async () => {
    const result = await post({ verdict: { kind: 'undecided', reason: 'ERR_KEYS_UNAVAILABLE' } });
    expect(result).toMatchObject({ status: 503, posts: [], counted: ['WebhookUndecided'] });
  });

  it('is 200 to the carrier’s own word on the delivery, in which there is no event', async () => {
    const result = await post({ verdict: { kind: 'handshake', reason: 'subscription confirmed' } });
    expect(result).toMatchObject({ status: 200, posts: [], queued: [], counted: ['WebhookHandshake'] });
  });

  it('is 413 to a post larger than the inbound queue carries', async () => {
    const fits = await post({ event: { body: 'x'.repeat(1024 * 1024 - 4096 - 100) } });
    const tooLarge = await post({ event: { body: 'x'.repeat(1024 * 1024 - 4096) } });
    expect([fits.status, tooLarge.status]).toEqual([200, 413]);
    expect(tooLarge).toMatchObject({ posts: [], counted: ['EventTooLarge'] });
  });
});

describe('a post that is kept aside', () => {
  it('has the carrier’s id that stood in its envelope', async () => {
    const kept = await post({ stored: { ...UNSTORABLE, carrierMessageId: '77' } });
    expect(kept.queuedPosts).toMatchObject([{ carrierMessageId: '77' }]);
  });
});

describe('a post', () => {
  it('is read as its bytes, base64 undone, with the carrier’s metadata and the arrival', async () => {
    const { posts } = await post({
      event: {
        body: Buffer.from('ñ').toString('base64'),
        isBase64Encoded: true,
        headers: { 'x-goog-pubsub-message-id': '7', 'x-goog-pubsub-publish-time': '2026-11-20T11:59:00Z' },
      },
    });
    expect(posts).toEqual([
      {
        rawBody: Buffer.from('ñ'),
        receivedAt: NOW,
        carrierMessageId: '7',
        publishedAt: '2026-11-20T11:59:00.000Z',
      },
    ]);
  });

  it.each([
    ['+5491100000000', { chatChannelNumber: '+5491100000000' }],
    ['5491100000000', { chatChannelNumber: '5491100000000' }],
    ['main', {}],
    ['9'.repeat(33), {}],
  ])('to the path of %s names that number, if it is one', async (chatChannelNumber, expected) => {
    const { posts } = await post({ event: { pathParameters: { chatChannelNumber } } });
    const { rawBody, receivedAt, ...named } = posts[0] ?? {};
    expect(named).toEqual({ carrierMessageId: undefined, publishedAt: undefined, ...expected });
  });

  it('signed as Standard Webhooks has its id from there, and no time: that is of the attempt', async () => {
    const { posts } = await post({ event: { headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1614265330' } } });
    expect(posts[0]).toMatchObject({ carrierMessageId: 'msg_1', publishedAt: undefined });
  });

  it('may have no body', async () => {
    expect((await post({ event: { body: undefined } })).posts[0]?.rawBody).toHaveLength(0);
  });
});
