import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serializeRequest } from '../../../../lambdas/domain/serialized-request.ts';
import type { Envelope, VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import { createDrainMessage } from '../../../../lambdas/receive/drain-message.ts';
import { createReceiveEvents } from '../../../../lambdas/receive/receive-events.ts';
import { createStoreEvents } from '../../../../lambdas/receive/store-events.ts';
import { createWebhookHandler } from '../../../../lambdas/receive/webhook-handler.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';
import { VERIFIED_AND_SMALL } from '../../../support/drain-options.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { silentLog, silentMetrics } from '../../../support/telemetry.ts';

/** The function with a table that records what is written. What goes to a queue is serialized as it is for SQS. */
const createFunction = (envelope: Envelope | undefined, isTableAvailable = () => true) => {
  const written: unknown[] = [];
  const deferred: string[] = [];
  const quarantined: string[] = [];
  const record = (name: string) => async (item: unknown) => {
    if (!isTableAvailable()) throw new Error('throttled');
    written.push([name, item]);
  };
  const storeEvents = createStoreEvents({
    repositories: () => ({
      contacts: {
        openWindow: record('openWindow'),
        recordConsent: record('recordConsent'),
        recordOperatorMessage: record('recordOperatorMessage'),
      },
      messages: {
        async recordInbound(message) {
          await record('recordInbound')(message);
          return message.time.at;
        },
        async recordStatus(status) {
          await record('recordStatus')(status);
          return { traceparent: status.traceparent };
        },
        async recordEcho(echo) {
          await record('recordEcho')(echo);
          return echo.time.at;
        },
        async recordOutbound(message) {
          await record('recordOutbound')(message);
          return undefined;
        },
        recordUnknown: record('recordUnknown'),
        async recordUnknownName(name, now) {
          await record('recordUnknownName')(name);
          return now;
        },
      },
      sends: {
        async confirm(...confirmed) {
          await record('confirm')(confirmed);
          return undefined;
        },
        async fail(...failed) {
          await record('fail')(failed);
          return { kind: 'applied' };
        },
        async linkMessage(...linked) {
          await record('linkMessage')(linked);
          return {};
        },
      },
    }),
    clock: { now: () => NOW },
    budgetMs: 60_000,
    chatPlatform: 'chat',
    windowPer: 'user',
  });
  const put = (messages: string[]) => async (request: VerifiedRequest, reason?: string) => {
    messages.push(serializeRequest(request, reason) ?? 'too large');
    return { kind: 'written' as const };
  };
  const shared = {
    storeEvents,
    inboundQueue: { defer: put(deferred), quarantine: put(quarantined) },
    format: { envelope, readsPubsubHeaders: envelope === 'pubsub' },
    clock: { now: () => NOW },
    log: silentLog,
    metrics: silentMetrics,
  };
  const handle = createWebhookHandler({
    ...shared,
    verifier: { verify: async () => ({ kind: 'authentic' }) },
    receiveEvents: createReceiveEvents(shared),
  });
  const drainMessage = createDrainMessage({
    ...shared,
    ...VERIFIED_AND_SMALL,
    randomness: { newId: () => 'id', random: () => 0 },
  });
  return {
    written,
    deferred,
    quarantined,
    post: (body: string, headers: Record<string, string>) =>
      // The handler reads nothing else of the event.
      handle({ headers, body, isBase64Encoded: false } as unknown as APIGatewayProxyEventV2),
    drain: (message: string) => drainMessage(sqsRecord(message)),
  };
};

const event = JSON.stringify(wireMessage({ CREATION_TIME: undefined }));
const other = JSON.stringify(wireMessage({ _id_: 'message-2', CREATION_TIME: undefined }));
const push = (data: string) => ({
  message: { data: Buffer.from(data).toString('base64'), messageId: '77', publishTime: '2026-11-20T11:00:00Z' },
});
const notification = (Message: string) => ({
  Type: 'Notification',
  MessageId: '78',
  TopicArn: 'arn:aws:sns:eu-west-1:111122223333:chat-events',
  Message,
  Timestamp: '2026-11-20T10:00:00Z',
});
const BODIES = {
  'a bare event': event,
  'a push': JSON.stringify(push(event)),
  'a notification': JSON.stringify(notification(event)),
  'a notification and a push': JSON.stringify({ ...notification(event), ...push(other) }),
  'an event and a push': JSON.stringify({ ...wireMessage({ CREATION_TIME: undefined }), ...push(other) }),
  'a push in a notification': JSON.stringify(notification(JSON.stringify(push(other)))),
  'a push in a push': JSON.stringify(push(JSON.stringify(push(other)))),
  'no event': '{"hello":"world"}',
  'not JSON': 'hello',
};
const envelope = fc.constantFrom<Envelope | undefined>(undefined, 'pubsub', 'sns');
const body = fc.constantFrom(...Object.values(BODIES));
const headers = fc.constantFrom<Record<string, string>>(
  {},
  { 'x-goog-pubsub-message-id': '7', 'x-goog-pubsub-publish-time': NOW },
);

describe('a deferred request', () => {
  it('is stored, or quarantined, exactly as it would have been directly', async () => {
    await fc.assert(
      fc.asyncProperty(envelope, body, headers, async (stage, posted, given) => {
        const direct = createFunction(stage);
        await direct.post(posted, given);
        let isAvailable = false;
        const later = createFunction(stage, () => isAvailable);
        await later.post(posted, given);
        isAvailable = true;
        // A table that failed is left alone for a second, so another process drains the queue.
        const drained = createFunction(stage);
        for (const message of later.deferred) await drained.drain(message);
        expect([...drained.written, ...later.written]).toEqual(direct.written);
        expect([...drained.quarantined, ...later.quarantined]).toEqual(direct.quarantined);
      }),
    );
  });

  it('keeps its envelope when the stage is authenticated in another way before the queue is drained', async () => {
    const before = createFunction('sns', () => false);
    await before.post(BODIES['a notification'], {});
    const direct = createFunction('sns');
    await direct.post(BODIES['a notification'], {});
    const after = createFunction('pubsub');
    for (const message of before.deferred) await after.drain(message);
    expect(after.written).toEqual(direct.written);
    expect(after.written.length).toBeGreaterThan(0);
  });
});

describe('a request that was quarantined because the stage expected bare events', () => {
  it('is stored when it is redriven after the setting was corrected', async () => {
    const wrong = createFunction(undefined);
    await wrong.post(BODIES['a push'], {});
    expect([wrong.written, wrong.quarantined.length]).toEqual([[], 1]);
    const right = createFunction('pubsub');
    await right.drain(wrong.quarantined[0] ?? '');
    const direct = createFunction('pubsub');
    await direct.post(BODIES['a push'], {});
    expect(right.written).toEqual(direct.written);
    expect(right.quarantined).toEqual([]);
  });
});

describe('a request on the queue that does not name its envelope', () => {
  const unmarked = (rawBody: string, more: Record<string, unknown> = {}) =>
    `${JSON.stringify({ receivedAt: NOW, ...more, encoding: 'json' }).slice(0, -1)},"rawBody":${rawBody}}`;
  const cases = (['pubsub', 'sns', undefined] as const).flatMap((stage) =>
    Object.entries(BODIES)
      .filter(([name]) => name !== 'not JSON')
      .map(([name, raw]) => ({ stage, name, raw })),
  );

  it.each(cases)('is read as the stage $stage reads $name', async ({ stage, raw }) => {
    const [drained, direct] = [createFunction(stage), createFunction(stage)];
    await drained.drain(unmarked(raw));
    await direct.post(raw, {});
    expect(drained.written).toEqual(direct.written);
    expect(drained.quarantined.length).toBe(direct.quarantined.length);
  });

  it('is read only from its signed fields', async () => {
    const drained = createFunction('sns');
    await drained.drain(unmarked(BODIES['a notification and a push']));
    const ids = drained.written.map((write) => JSON.stringify(write)).filter((write) => write.includes('message-2'));
    expect([drained.written.length, ids]).toEqual([2, []]);
  });

  it('is the bare event if it was too large with its envelope', async () => {
    const drained = createFunction('pubsub');
    await drained.drain(unmarked(BODIES['an event and a push'], { isEvent: true }));
    expect(JSON.stringify(drained.written)).toContain('"id":"message-1"');
    expect(JSON.stringify(drained.written)).not.toContain('"id":"message-2"');
  });
});
