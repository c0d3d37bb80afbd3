import { describe, expect, test } from 'vitest';
import { aMessage, anIntent, aRule, startTestSandbox, TOKEN, USER, userPath } from '../../support/running-sandbox.ts';

describe('GET /sandbox/users/{contact}/conversation', () => {
  test('returns the messages of both sides in order, with captions and statuses', async () => {
    const sandbox = await startTestSandbox();
    const image = 'https://media.example/1.png';
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Look', imageUrls: [image] });
    await sandbox.api(
      '/message/v3',
      aMessage({ messageText: 'A *bold* answer', fileURL: 'https://media.example/1.pdf' }),
    );
    await sandbox.control(`POST ${userPath(USER)}/read`);
    await sandbox.control(`PATCH ${userPath(USER)}`, { device: 'off' });
    await sandbox.control('PUT /rules/table_ready', aRule());
    await sandbox.api('/intent/v2', anIntent({ clientPayload: 'request-1' }));

    const answer = await sandbox.control(`GET ${userPath(USER)}/conversation`);

    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
    expect(answer.body).toMatchObject({
      user: { contact: USER, device: 'off', windows: [{ open: true, closesAt: time }] },
      messages: [
        { direction: 'in', text: 'Look', media: [{ kind: 'image', url: image }], at: time, receivedAt: time },
        {
          direction: 'out',
          endpoint: 'message/v3',
          text: 'A *bold* answer',
          media: [{ kind: 'file', url: 'https://media.example/1.pdf' }],
          status: 'read',
          deliveredAt: time,
          seenAt: time,
        },
        {
          direction: 'out',
          endpoint: 'intent/v2',
          ruleName: 'table_ready',
          clientPayload: 'request-1',
          text: 'Hello Ana, table 7 is ready.',
          status: 'accepted',
          deliveredAt: null,
          seenAt: null,
        },
      ],
      before: null,
    });
  });

  test('is paginated, and empty for an unknown user', async () => {
    const sandbox = await startTestSandbox();
    for (const text of ['1', '2', '3', '4', '5']) await sandbox.control(`POST ${userPath(USER)}/messages`, { text });
    const page = async (query: string) =>
      Object((await sandbox.control(`GET ${userPath(USER)}/conversation${query}`)).body);
    const texts = ({ messages }: { messages: { text: string }[] }) => messages.map(({ text }) => text).join('');

    const latest = await page('?limit=2');
    const middle = await page(`?limit=2&before=${latest.before}`);
    const first = await page(`?limit=2&before=${middle.before}`);

    expect([latest, middle, first].map(texts)).toEqual(['45', '23', '1']);
    expect(first.before).toBeNull();
    expect(await page('?before=forgotten')).toMatchObject({ messages: [], before: null });
    expect((await sandbox.control('GET /users/nobody/conversation')).body).toEqual({
      user: null,
      messages: [],
      before: null,
    });
  });
});

describe('an address with another customer ID', () => {
  test('has a new user, who sees nothing of the earlier one and has no window', async () => {
    const sandbox = await startTestSandbox();
    const { body } = await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'From the earlier user' });
    const conversation = async () => (await sandbox.control(`GET ${userPath(USER)}/conversation`)).body;

    await sandbox.control(`PATCH ${userPath(USER)}`, { customerId: 'customer-2' });

    const user = { customerId: 'customer-2', customerSince: expect.stringMatching(/Z$/), windows: [] };
    expect(await conversation()).toEqual({ user: expect.objectContaining(user), messages: [], before: null });
    expect((await sandbox.control('GET /users')).body).toMatchObject({ users: [{ ...user, lastMessage: null }] });
    const edit = await sandbox.control(`PATCH ${userPath(USER)}/messages/${Object(body)._id_}`, { text: 'Mine' });
    expect(edit.status).toBe(404);
    expect((await sandbox.api('/message/v3', aMessage())).body).toMatchObject({ error: { code: 201 } });

    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'From the new user' });
    await sandbox.control(`PATCH ${userPath(USER)}`, { customerId: 'customer-2' });
    expect(await conversation()).toMatchObject({
      user: { windows: [{ open: true }] },
      messages: [{ direction: 'in' }],
    });
  });

  test('has the same user if nobody wrote before', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`PATCH ${userPath(USER)}`, { name: 'Ana' });

    expect((await sandbox.control(`PATCH ${userPath(USER)}`, { customerId: 'customer-2' })).body).toMatchObject({
      name: 'Ana',
      customerSince: null,
    });
  });
});

describe('GET /sandbox/users', () => {
  test('lists the user with the latest message first, in pages', async () => {
    const sandbox = await startTestSandbox();
    const users = ['+5491155550001', '+5491155550002', '+5491155550003'];
    for (const user of users) {
      await sandbox.control('POST /clock', { advanceSeconds: 1 });
      await sandbox.control(`POST ${userPath(user)}/messages`, { text: 'Hello' });
    }

    const first = Object((await sandbox.control('GET /users?limit=2')).body);
    const second = Object(
      (await sandbox.control(`GET /users?limit=2&before=${encodeURIComponent(first.before)}`)).body,
    );

    const contacts = (page: { users: { contact: string }[] }) => page.users.map(({ contact }) => contact);
    expect([contacts(first), contacts(second)]).toEqual([[users[2], users[1]], [users[0]]]);
    expect(second).toMatchObject({ users: [{ lastMessage: { text: 'Hello' } }], before: null });
  });
});

describe('GET /sandbox/calls', () => {
  test('returns the calls with their answers, including failed calls, without the token', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.api('/message/v3', '{');
    await sandbox.api('/message/v3', aMessage(), { 'access-token': 'wrong' });
    await sandbox.api('/message/v3', aMessage({ messageText: 'x'.repeat(20_000) }));
    await sandbox.api('/nothing', {});

    const answer = await sandbox.control('GET /calls');

    expect(answer.body).toMatchObject({
      calls: [
        { path: '/api/v1.0/message/v3', request: '{', status: 400, contact: null, answer: { error: { code: 400 } } },
        { request: null, status: 401, answer: '401 - Unauthorized' },
        { request: expect.stringMatching(/^.{16384}…$/), status: 403 },
        { path: '/api/v1.0/nothing', status: 404, answer: '' },
      ],
      before: null,
    });
    expect(answer.text).not.toContain(TOKEN);
  });
});
