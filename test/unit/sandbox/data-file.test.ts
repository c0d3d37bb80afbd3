import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  aMessage,
  anIntent,
  aRule,
  CHANNEL,
  DAY_SECONDS,
  eventually,
  startTestSandbox,
  TOKEN,
  USER,
  userPath,
  webhookTo,
} from '../../support/running-sandbox.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const newFile = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'data.sqlite');
};

const VIEWS = [
  '/state',
  '/outbox',
  '/calls',
  '/users',
  '/templates',
  '/access-tokens',
  `${userPath(USER)}/conversation`,
];

describe('a data file', () => {
  test('keeps the whole state across a restart', async () => {
    const dataFile = await newFile();
    const before = await startTestSandbox({ dataFile, approved: false });
    await before.control(`PATCH ${userPath(USER)}`, { name: 'Ana', optIn: true });
    await before.control(`POST ${userPath(USER)}/messages`, {
      text: 'Hello',
      imageUrls: ['https://media.example/1.png'],
    });
    await before.api('/message/v3', aMessage());
    await before.control(`POST ${userPath(USER)}/read`);
    await before.control('PUT /rules/table_ready', aRule());
    await before.control('PUT /templates/other', { text: 'Hi', category: 'payment' });
    await before.control(`DELETE /access-tokens/${TOKEN}`);
    await before.control('POST /access-tokens', { accessToken: 'second', expiresInSeconds: 1_000_000 });
    await before.control('POST /clock', { advanceSeconds: DAY_SECONDS });
    const views = async (sandbox: typeof before) =>
      Promise.all(
        VIEWS.map(async (path) => {
          const { now: _now, feedId: _feedId, ...view } = Object((await sandbox.control(`GET ${path}`)).body);
          return view;
        }),
      );
    const stored = await views(before);
    await before.close();

    const after = await startTestSandbox({ dataFile, approved: true, credit: 1 });

    expect(await views(after)).toEqual(stored);
    const { now } = Object((await after.control('GET /state')).body);
    expect(new Date(now).getTime()).toBeGreaterThan(Date.now() + (DAY_SECONDS - 60) * 1000);
    expect((await after.api('/intent/v2', anIntent())).status).toBe(401);
    expect((await after.api('/message/v3', aMessage(), { 'access-token': 'second' })).body).toMatchObject({
      error: { code: 201 },
    });
  });

  test('keeps unacknowledged events, attempts and the signing key across a restart', async () => {
    const dataFile = await newFile();
    const receiver = await startWebhookReceiver();
    const before = await startTestSandbox({ dataFile, webhook: webhookTo(receiver.url) });
    await before.control('POST /events', { number: 1 });
    await eventually(async () => expect((await before.control('GET /state')).body).toMatchObject({ pending: 0 }));
    receiver.answerWith(503);
    const { messageId } = Object((await before.control('POST /events', { number: 2 })).body);
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(1));
    const keys = await (await fetch(before.jwksUrl)).json();
    await before.close();

    const after = await startTestSandbox({ dataFile });
    const pending = Object((await after.control('GET /state')).body).pending;
    receiver.answerWith(200);
    after.setWebhook(webhookTo(receiver.url));
    await eventually(async () => expect((await after.control('GET /state')).body).toMatchObject({ pending: 0 }));

    const { deliveries, retained } = Object((await after.control('GET /deliveries')).body);
    expect([pending, retained]).toEqual([1, 2]);
    expect(deliveries[0]).toMatchObject({ event: { number: 1 }, status: 200 });
    expect(deliveries.at(-1)).toMatchObject({ messageId, event: { number: 2 }, status: 200 });
    expect(await (await fetch(after.jwksUrl)).json()).toEqual(keys);
  });

  test('is cleared by a reset', async () => {
    const dataFile = await newFile();
    const before = await startTestSandbox({ dataFile });
    await before.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    await before.control('POST /reset');
    await before.close();

    const after = await startTestSandbox({ dataFile });

    expect((await after.control('GET /state')).body).toMatchObject({
      users: [],
      pending: 0,
      chatChannelNumbers: [CHANNEL, expect.any(String)],
    });
  });

  test('fails with one sentence if it is not a data file or another sandbox uses it', async () => {
    const dataFile = await newFile();
    await startTestSandbox({ dataFile });
    const notADatabase = `${dataFile}.txt`;
    await writeFile(notADatabase, 'This file is not a database.\n'.repeat(100));

    await expect(startTestSandbox({ dataFile })).rejects.toThrow(
      /^The data file .+ cannot be used \(.*locked.*\); choose another file\.$/,
    );
    await expect(startTestSandbox({ dataFile: notADatabase })).rejects.toThrow(
      /cannot be used \(file is not a database\)/,
    );
    await expect(startTestSandbox({ dataFile: '/nowhere/data.sqlite' })).rejects.toThrow(/cannot be used/);
  });

  test('can be read only by its owner, with the files that SQLite keeps beside it', async () => {
    const dataFile = await newFile();
    const modes = async () => {
      const names = await readdir(dirname(dataFile));
      const stats = await Promise.all(names.map((name) => stat(join(dirname(dataFile), name))));
      return Object.fromEntries(names.map((name, index) => [name, ((stats[index]?.mode ?? 0) & 0o777).toString(8)]));
    };
    const first = await startTestSandbox({ dataFile });
    await first.control(`PATCH ${userPath(USER)}`, { name: 'Ana' });
    expect(await modes()).toEqual({ 'data.sqlite': '600', 'data.sqlite-wal': '600' });
    await first.close();

    await chmod(dataFile, 0o644);
    const second = await startTestSandbox({ dataFile });
    await second.control(`PATCH ${userPath(USER)}`, { name: 'Bea' });

    expect(await modes()).toEqual({ 'data.sqlite': '600', 'data.sqlite-wal': '600' });
  });
});
