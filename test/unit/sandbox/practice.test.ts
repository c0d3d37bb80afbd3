import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { aMessage, anIntent, aRule, startTestSandbox, TOKEN, USER, userPath } from '../../support/running-sandbox.ts';

/*
 * What real services with this contract answer where the contract shows nothing, as recorded from them.
 */

const ID = /^[A-Z0-9]{20}$/;

describe('an answer of practice', () => {
  test.each(['*/*', 'text/html', 'application/json'])('does not depend on the header Accept: %s', async (accept) => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    const answer = await sandbox.api('/message/v3', aMessage(), { accept });

    expect(answer).toMatchObject({ status: 200, headers: expect.objectContaining({}) });
    expect(answer.body).toEqual({ id: expect.stringMatching(ID), problems: null });
  });

  test('has ids of 20 characters from both endpoints, for the message and the events about it', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /rules/table_ready', aRule());
    const wrote = await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    const sent = [await sandbox.api('/message/v3', aMessage()), await sandbox.api('/intent/v2', anIntent())];

    const ids = [Object(wrote.body)._id_, ...sent.map(({ body }) => Object(body).id)];
    for (const id of ids) expect(id).toMatch(ID);
    expect(new Set(ids).size).toBe(3);
  });

  test.each(['CHAT', 'Chat'])('accepts the platform %s: its name has no case', async (chatPlatform) => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    expect((await sandbox.api('/message/v3', aMessage({ chatPlatform }))).status).toBe(200);
  });

  test.each([
    ['an unknown path', '/nothing', 404, ''],
    ['an unknown version', '/../v2.0/message/v3', 404, ''],
  ])('to %s is empty and labeled as HTML', async (_, path, status, text) => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api(path, {});

    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, text, 'text/html']);
  });

  test('is compressed only if the client offers gzip', async () => {
    const sandbox = await startTestSandbox();
    const read = (headers: Record<string, string>) =>
      new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
        request(
          `${sandbox.url}/api/v1.0/auth/credentials`,
          { headers: { 'access-token': TOKEN, ...headers } },
          async (response) => {
            const chunks: Buffer[] = [];
            for await (const chunk of response) chunks.push(chunk);
            resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) });
          },
        )
          .on('error', reject)
          .end();
      });

    const [plain, compressed] = [await read({}), await read({ 'accept-encoding': 'gzip, deflate' })];

    expect([plain.encoding, compressed.encoding]).toEqual([undefined, 'gzip']);
    expect(gunzipSync(compressed.body)).toEqual(plain.body);
  });
});

describe('POST /api/v1.0/message/download', () => {
  test('returns the history in pages of 500, and keeps the cursor', async () => {
    const sandbox = await startTestSandbox();
    const now = Date.now();
    const fromDate = new Date(now - 60_000).toISOString();
    const read = async (from = fromDate) =>
      Object((await sandbox.api('/message/download', { fromDate: from })).body) as Record<string, unknown> & {
        messages: unknown[];
      };
    for (let sent = 0; sent < 510; sent += 1) {
      await sandbox.control(`POST ${userPath(USER)}/messages`, { text: `Message ${sent}` });
    }

    const [first, last, again] = [await read(), await read(), await read()];

    expect([first, last, again].map(({ hasMore, count }) => [hasMore, count])).toEqual([
      [true, 500],
      [false, 10],
      [true, 500],
    ]);
    expect(first.messages[0]).toMatchObject({ msg_from: USER, msg_to: 'me', message: 'Message 0' });
    // Another time starts over.
    expect((await read(new Date(now - 50_000).toISOString())).count).toBe(500);
  });

  test('refuses a fromDate of more than a week ago, and a wrong token', async () => {
    const sandbox = await startTestSandbox();
    const now = Date.now();

    const old = await sandbox.api('/message/download', { fromDate: new Date(now - 8 * 86_400_000).toISOString() });
    const wrong = await sandbox.api(
      '/message/download',
      { fromDate: new Date(now).toISOString() },
      { 'access-token': 'wrong' },
    );

    expect([old.status, wrong.status]).toEqual([400, 401]);
  });
});

describe('GET /api/v1.0/auth/credentials', () => {
  test('returns the credentials that the token belongs to', async () => {
    const { url } = await startTestSandbox();
    const read = (token: string) => fetch(`${url}/api/v1.0/auth/credentials`, { headers: { 'access-token': token } });

    const [answer, refused] = [await read(TOKEN), await read('wrong')];

    expect(await answer.json()).toEqual({
      accessToken: TOKEN,
      clientId: expect.any(String),
      secretId: expect.any(String),
      refreshToken: expect.any(String),
    });
    expect(refused.status).toBe(401);
  });
});
