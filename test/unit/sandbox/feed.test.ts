import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { feedStream } from '../../../sandbox/http/event-stream.ts';
import { createFeed } from '../../../sandbox/service/feed.ts';
import { readFeed } from '../../support/feed-reader.ts';
import {
  aMessage,
  aRule,
  DAY_SECONDS,
  startTestSandbox,
  USER,
  userPath,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

describe('GET /sandbox/feed', () => {
  test('publishes every change of the service as one entry, with ids that increase by one', async () => {
    const receiver = await startWebhookReceiver();
    const sandbox = await startTestSandbox({ webhook: webhookTo(receiver.url) });
    const feed = await readFeed(sandbox.url);

    const refused = await sandbox.api('/message/v3', aMessage());
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    const accepted = await sandbox.api('/message/v3', aMessage());
    await sandbox.control(`POST ${userPath(USER)}/read`);
    await sandbox.control('PUT /rules/table_ready', aRule());
    await sandbox.control('PATCH /account', { credit: 7 });
    await sandbox.control('POST /clock', { advanceSeconds: DAY_SECONDS });
    await feed.until('webhook-attempt', 3);
    await sandbox.control('POST /reset');
    await feed.until('reset');

    const { id } = Object(accepted.body);
    const ids = feed.entries.map((entry) => Number(entry.id));
    expect(ids).toEqual(ids.map((_, index) => Number(ids[0]) + index));
    expect(feed.ofType('user-wrote')).toMatchObject([
      { contact: USER, message: { direction: 'in', text: 'Hello', media: [] } },
    ]);
    expect(feed.ofType('call')).toMatchObject([
      { call: { path: '/api/v1.0/message/v3', status: 403, answer: refused.body, contact: USER, messageId: null } },
      { call: { request: aMessage(), status: 200, answer: accepted.body, messageId: id } },
    ]);
    expect(feed.ofType('message-accepted')).toMatchObject([{ contact: USER, message: { id, status: 'accepted' } }]);
    expect(feed.ofType('status-changed')).toMatchObject([
      { message: { id, status: 'delivered' } },
      { message: { id, status: 'read' } },
    ]);
    expect(feed.ofType('event-published')).toHaveLength(3);
    expect(feed.ofType('webhook-attempt')).toHaveLength(3);
    expect(feed.ofType('webhook-attempt')).toContainEqual(
      expect.objectContaining({
        delivery: expect.objectContaining({ status: 200, event: expect.objectContaining({ MESSAGE: 'Hello' }) }),
      }),
    );
    expect(feed.ofType('user-changed').at(-1)).toMatchObject({ user: { contact: USER, windows: [{ open: true }] } });
    expect(feed.ofType('rule-changed')).toMatchObject([{ name: 'table_ready', rule: { status: 'approved' } }]);
    expect(feed.ofType('account-changed').at(-1)).toMatchObject({ account: { credit: 7 } });
    expect(feed.ofType('clock-moved')).toHaveLength(1);
  });

  test('continues after Last-Event-ID, or starts with a gap', async () => {
    const sandbox = await startTestSandbox();
    const { feedId } = Object((await sandbox.control('GET /state')).body);
    await sandbox.control('PATCH /account', { credit: 1 });
    await sandbox.control('PATCH /account', { credit: 2 });

    const all = await readFeed(sandbox.url, `?after=${feedId}`);
    const rest = await readFeed(sandbox.url, '', { 'last-event-id': String(feedId + 1) });
    const unknown = await readFeed(sandbox.url, '', { 'last-event-id': '17' });
    await Promise.all([all.until('account-changed', 2), rest.until('account-changed'), unknown.until('gap')]);

    expect(all.entries).toMatchObject([{ account: { credit: 1 } }, { account: { credit: 2 } }]);
    expect(rest.entries).toMatchObject([{ id: feedId + 2, account: { credit: 2 } }]);
    expect(unknown.entries).toEqual([{ id: feedId + 2, at: expect.any(String), type: 'gap' }]);
  });
});

describe('the feed', () => {
  const at = new Date('2026-01-31T10:00:00.000Z');

  test('keeps only the latest entries', () => {
    const feed = createFeed(100, { entries: 3, characters: 1_000_000 });
    for (let entry = 0; entry < 20; entry += 1) feed.publish('any', at);

    expect(feed.lastId()).toBe(119);
    expect(feed.after(115)).toBeUndefined();
    expect(feed.after(116)?.map(({ id }) => id)).toEqual([117, 118, 119]);
    expect(feed.after(119)).toEqual([]);
    expect([feed.after(120), feed.after(Number.NaN)]).toEqual([undefined, undefined]);
  });

  test('keeps a limited number of characters', () => {
    const feed = createFeed(1, { entries: 1_000, characters: 10_000 });
    for (let entry = 0; entry < 20; entry += 1) feed.publish('any', at, { text: 'x'.repeat(3_000) });

    expect(feed.after(16)).toBeUndefined();
    expect(feed.after(17)).toHaveLength(3);
  });

  test('calls a listener until it unsubscribes', () => {
    const feed = createFeed(1);
    const received: number[] = [];
    const unsubscribe = feed.subscribe(({ id }) => received.push(id));

    feed.publish('any', at);
    unsubscribe();
    feed.publish('any', at);

    expect(received).toEqual([1]);
  });

  test('disconnects a reader that falls behind, which continues after Last-Event-ID', async () => {
    const feed = createFeed(1);
    const app = new Hono().get('/', (context) => feedStream(context, feed, at));
    const ids = (stream: string) => Array.from(stream.matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));

    const slow = await app.request('/');
    for (let entry = 0; entry < 12; entry += 1) feed.publish('any', at, { text: 'x'.repeat(1_000_000) });
    const first = ids(await slow.text());
    const second = await app.request('/', { headers: { 'last-event-id': String(first.at(-1)) } });

    expect(first).toEqual([1, 2, 3, 4, 5]);
    expect(ids(await second.text())).toEqual([6, 7, 8, 9, 10]);
  });
});
