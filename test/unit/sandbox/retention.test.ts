import { describe, expect, test } from 'vitest';
import { readFeed } from '../../support/feed-reader.ts';
import {
  DAY_SECONDS,
  eventIn,
  eventually,
  type RunningSandbox,
  startTestSandbox,
  startWithReceiver,
  untilDelivered,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const EVENT = { MESSAGE: 'Hello' };

const pendingIn = async (sandbox: RunningSandbox): Promise<unknown> =>
  Object((await sandbox.control('GET /deliveries')).body).pending;

describe('retention', () => {
  test('stops after 7 days on the service\'s clock (contract, "Limits")', async () => {
    const sandbox = await startTestSandbox();
    const receiver = await startWebhookReceiver();
    await sandbox.control('POST /events', { day: 0 });
    await sandbox.control('POST /clock', { advanceSeconds: DAY_SECONDS });
    await sandbox.control('POST /events', { day: 1 });
    const pendingBefore = await pendingIn(sandbox);
    await sandbox.control('POST /clock', { advanceSeconds: 6 * DAY_SECONDS });

    const pendingAfter = await pendingIn(sandbox);
    sandbox.setWebhook(webhookTo(receiver.url));
    await untilDelivered(sandbox);

    expect([pendingBefore, pendingAfter]).toEqual([2, 1]);
    expect(receiver.requests.map(({ body }) => eventIn(body))).toEqual([{ day: 1 }]);
  });

  const startRefusing = async () => {
    const { receiver, sandbox } = await startWithReceiver({}, { auth: { kind: 'none' } });
    receiver.answerWith(503);
    await sandbox.control('POST /events', EVENT);
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
    return { receiver, sandbox };
  };

  test('delivers an event that was refused for six days (contract, "Limits")', async () => {
    const { receiver, sandbox } = await startRefusing();
    await sandbox.control('POST /clock', { advanceSeconds: 6 * DAY_SECONDS });

    receiver.answerWith(200);
    await untilDelivered(sandbox);

    const { deliveries, expired } = Object((await sandbox.control('GET /deliveries')).body);
    expect(deliveries.at(-1)).toMatchObject({ event: EVENT, status: 200 });
    expect(expired).toEqual([]);
  });

  test('drops an event that was refused for eight days, and lists it as expired', async () => {
    const { receiver, sandbox } = await startRefusing();
    await sandbox.control('POST /clock', { advanceSeconds: 8 * DAY_SECONDS });

    // An attempt can be in flight while the clock moves, and must still be refused.
    await eventually(async () => {
      expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ expired: [{ event: EVENT }] });
    });
    receiver.answerWith(200);
    await untilDelivered(sandbox);

    const { deliveries, expired } = Object((await sandbox.control('GET /deliveries')).body);
    expect(deliveries.filter(({ status }: { status: number }) => status === 200)).toEqual([]);
    expect(expired).toMatchObject([{ event: EVENT, attempts: deliveries.length, publishedAt: expect.any(String) }]);
  });

  test('ends the pause after a failure when the clock moves, and reports expired events immediately', async () => {
    const hourMs = 3_600_000;
    const deliveryBackoff = { minimumMs: hourMs, maximumMs: hourMs };
    const { receiver, sandbox } = await startWithReceiver({ deliveryBackoff }, { auth: { kind: 'none' } });
    receiver.answerWith(503, 200);
    await sandbox.control('POST /events', EVENT);
    await eventually(async () => {
      expect(Object((await sandbox.control('GET /deliveries')).body).deliveries).toMatchObject([{ status: 503 }]);
    });

    await sandbox.control('POST /clock', { advanceSeconds: 3_600 });
    await untilDelivered(sandbox);

    expect(receiver.requests).toHaveLength(2);
    const holding = await startTestSandbox();
    const feed = await readFeed(holding.url);
    await holding.control('POST /events', EVENT);
    await holding.control('POST /clock', { advanceSeconds: 8 * DAY_SECONDS });
    await feed.until('event-expired');
    expect(feed.ofType('event-expired')).toMatchObject([{ event: EVENT, attempts: 0 }]);
  });

  test('replays acknowledged events while they are retained, since a time or by id', async () => {
    const { receiver, sandbox } = await startWithReceiver({}, { auth: { kind: 'none' }, wrapped: false });
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
    const days = receiver.requests.map(({ body }) => JSON.parse(body).day);
    expect(days.filter((day) => day === 0)).toHaveLength(2);
    expect(days.filter((day) => day === 2)).toHaveLength(5);
  });
});

describe('a service that posts each event once', () => {
  const startOnce = async () => {
    const { receiver, sandbox } = await startWithReceiver({}, { auth: { kind: 'none' } });
    await sandbox.control('PATCH /redelivery', { redelivers: false });
    return { receiver, sandbox };
  };
  const expiredIn = async (sandbox: RunningSandbox): Promise<readonly unknown[]> =>
    Object((await sandbox.control('GET /deliveries')).body).expired;

  test('drops an event that is not acknowledged, and lists it as expired', async () => {
    const { receiver, sandbox } = await startOnce();
    receiver.answerWith(503);
    await sandbox.control('POST /events', EVENT);
    await eventually(async () => expect(await expiredIn(sandbox)).toMatchObject([{ event: EVENT, attempts: 1 }]));

    receiver.answerWith(200);
    await sandbox.control('POST /events', { MESSAGE: 'Next' });
    await untilDelivered(sandbox);

    expect(receiver.requests.map(({ body }) => eventIn(body))).toEqual([EVENT, { MESSAGE: 'Next' }]);
  });

  test('posts nothing for ten minutes after more than a hundred failures', async () => {
    const { receiver, sandbox } = await startOnce();
    receiver.answerWith(503);
    for (let index = 0; index <= 100; index += 1) await sandbox.control('POST /events', { index });
    await eventually(async () => expect(await expiredIn(sandbox)).toHaveLength(101));
    expect((await sandbox.control('GET /redelivery')).body).toEqual({
      redelivers: false,
      pausedUntil: expect.anything(),
    });

    receiver.answerWith(200);
    await sandbox.control('POST /events', { lost: true });
    await eventually(async () => expect((await expiredIn(sandbox)).at(-1)).toMatchObject({ attempts: 0 }));
    await sandbox.control('POST /clock', { advanceSeconds: 10 * 60 });
    await sandbox.control('POST /events', { heard: true });
    await untilDelivered(sandbox);

    expect(eventIn(receiver.requests.at(-1)?.body ?? '')).toEqual({ heard: true });
    expect(receiver.requests).toHaveLength(102);
    expect((await sandbox.control('GET /redelivery')).body).toEqual({ redelivers: false });
  });
});
