import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFeed } from '../../../support/feed-reader.ts';
import {
  aMessage,
  DAY_SECONDS,
  eventually,
  type RunningSandbox,
  startTestSandbox,
  startWithReceiver,
  USER,
  untilDelivered,
  userPath,
} from '../../../support/running-sandbox.ts';

const get = async ({ url }: RunningSandbox, path: string) => {
  const response = await fetch(url + path);
  return { status: response.status, body: Object(await response.json()) };
};

interface Entry {
  id: number;
  type: string;
  at: string;
}

const logOf = async (sandbox: RunningSandbox): Promise<Entry[]> => (await get(sandbox, '/console/start')).body.log;

describe('the log at the start of the console', () => {
  test('returns the entries of the feed, latest first', async () => {
    const sandbox = await startTestSandbox();
    const feed = await readFeed(sandbox.url);
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await sandbox.api('/message/v3', aMessage());
    await feed.until('call');

    expect(await logOf(sandbox)).toEqual(feed.entries.toReversed());
  });

  test('starts again with a reset', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`PATCH ${userPath(USER)}`, { name: 'Ana' });
    await sandbox.control('POST /reset');
    await sandbox.control('PATCH /account', { credit: 5 });

    expect((await logOf(sandbox)).map(({ type }) => type)).toEqual(['account-changed', 'reset']);
  });

  test('contains what is stored of an earlier run, as it was published then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const dataFile = join(folder, 'data.sqlite');
    const { sandbox: before } = await startWithReceiver({ dataFile });
    await before.api('/message/v3', aMessage());
    await before.control(`POST ${userPath(USER)}/messages`, { text: 'Hello', at: '2026-01-31T10:00:00.000Z' });
    await before.control(`POST ${userPath(USER)}/messages`, { text: 'Hello again' });
    await before.api('/message/v3', aMessage());
    await untilDelivered(before);
    await before.control(`POST ${userPath(USER)}/read`);
    await untilDelivered(before);
    const types = ['user-wrote', 'message-accepted', 'status-changed', 'event-published', 'call', 'webhook-attempt'];
    const withoutId = ({ id: _id, at: _at, ...rest }: Entry) => rest;
    const stored = (await logOf(before)).filter(({ type }) => types.includes(type)).map(withoutId);
    await before.close();

    const after = await startTestSandbox({ dataFile });
    const entries = await logOf(after);

    expect(stored).toHaveLength(15);
    expect(entries).toHaveLength(stored.length);
    expect(entries.map(withoutId)).toEqual(expect.arrayContaining(stored));
    expect(entries.map(({ at }) => at)).toEqual(
      entries
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    const { feedId } = Object((await after.control('GET /state')).body);
    expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => feedId - index));
  });

  test('does not let a reader of an earlier run continue without a gap', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const dataFile = join(folder, 'data.sqlite');
    const before = await startTestSandbox({ dataFile });
    await before.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await before.control(`POST ${userPath(USER)}/messages`, { text: 'Hello again' });
    await before.close();
    const after = await startTestSandbox({ dataFile });
    const [latest, earlier] = await logOf(after);

    const feed = await readFeed(after.url, `?after=${earlier?.id}`);
    await feed.until('gap');

    expect(feed.entries).toEqual([{ id: latest?.id, at: expect.any(String), type: 'gap' }]);
  });
});

describe('the counts at the start of the console', () => {
  const totalsOf = async (sandbox: RunningSandbox) => {
    const { minutes } = (await get(sandbox, '/console/start')).body;
    const total = (name: string) => minutes.reduce((sum: number, minute: Entry) => sum + Object(minute)[name], 0);
    return [minutes.length, ...['received', 'sent', 'failedCalls', 'failedDeliveries'].map(total)];
  };

  test('returns what was received, sent, and failed, on the clock of this machine', async () => {
    const { receiver, sandbox } = await startWithReceiver();
    receiver.answerWith(503);
    await sandbox.api('/message/v3', aMessage());
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await sandbox.control('POST /clock', { advanceSeconds: 3_600 });
    await sandbox.api('/message/v3', aMessage());
    await sandbox.api('/message/v3', aMessage());
    await sandbox.control(`POST ${userPath(USER)}/read`);
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
    receiver.answerWith(200);
    await untilDelivered(sandbox);

    const { deliveries } = Object((await sandbox.control('GET /deliveries')).body);
    const failed = deliveries.filter(({ status }: { status: number }) => status === 503).length;
    expect(failed).toBeGreaterThan(0);
    expect(await totalsOf(sandbox)).toEqual([30, 1, 2, 1, failed]);
    const { feedId } = Object((await sandbox.control('GET /state')).body);
    expect((await get(sandbox, '/console/start')).body.feedId).toBe(feedId);
  });

  test('is cleared by a reset', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    expect(await totalsOf(sandbox)).toEqual([30, 1, 0, 0, 0]);

    await sandbox.control('POST /reset');

    expect(await totalsOf(sandbox)).toEqual([30, 0, 0, 0, 0]);
  });
});

test('GET /console/calls finds the calls about a user however the number is written', async () => {
  const sandbox = await startTestSandbox();
  await sandbox.api('/message/v3', aMessage({ platformContactId: '+54 9 11 5555-0001' }));
  await sandbox.api('/message/v3', aMessage({ platformContactId: '5491155550001' }));
  await sandbox.api('/message/v3', aMessage({ platformContactId: USER }));

  const { body } = await get(sandbox, `/console/calls/${encodeURIComponent('+5491155550001')}`);

  expect(body.calls.map(({ contact }: { contact: string }) => contact)).toEqual([
    '+54 9 11 5555-0001',
    '5491155550001',
  ]);
});

test('GET /console/messages returns what happened to one message, also after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const dataFile = join(folder, 'data.sqlite');
  const { receiver, sandbox } = await startWithReceiver({ dataFile });
  await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
  const { id } = Object((await sandbox.api('/message/v3', aMessage())).body);
  await untilDelivered(sandbox);
  receiver.answerWith(503);
  await sandbox.control(`POST ${userPath(USER)}/read`);
  await eventually(async () => {
    const { deliveries } = Object((await sandbox.control('GET /deliveries')).body);
    expect(deliveries).toContainEqual(expect.objectContaining({ event: expect.objectContaining({ STATUS: 'read' }) }));
  });
  await sandbox.control('POST /clock', { advanceSeconds: 8 * DAY_SECONDS });
  await eventually(async () => {
    expect((await sandbox.control('GET /deliveries')).body).toMatchObject({ expired: [{}] });
  });
  const { body } = await get(sandbox, `/console/messages/${id}`);
  await sandbox.close();
  const after = await startTestSandbox({ dataFile });

  expect(body.message).toMatchObject({ id, status: 'read' });
  expect(body.deliveries[0]).toMatchObject({ event: { _id_: id, STATUS: 'delivered' }, status: 200 });
  expect(body.deliveries.slice(1).length).toBeGreaterThan(0);
  for (const delivery of body.deliveries.slice(1)) {
    expect(delivery).toMatchObject({ event: { _id_: id, STATUS: 'read' }, status: 503 });
  }
  expect(body.expired).toMatchObject([{ event: { _id_: id, STATUS: 'read' } }]);
  expect(body.calls).toMatchObject([{ messageId: id, status: 200 }]);
  expect((await get(after, `/console/messages/${id}`)).body).toEqual(body);
  expect((await get(after, '/console/messages/unknown')).body).toEqual({
    message: null,
    contact: null,
    deliveries: [],
    expired: [],
    calls: [],
  });
});
