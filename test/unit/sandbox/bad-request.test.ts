import { describe, expect, test } from 'vitest';
import { aMessage, anIntent, aRule, startTestSandbox, TOKEN, USER, userPath } from '../../support/running-sandbox.ts';

const ENDPOINTS = ['/message/v3', '/intent/v2', '/customer/checkChatContact'];
const inErrorForm = (code: number) => ({ error: { code, message: expect.stringMatching(/^[A-Z].*\.$/) } });

describe.each(ENDPOINTS)('a bad request to %s', (path) => {
  test.each([undefined, 'wrong', ''])('with the token %s returns 401, not in the error format', async (token) => {
    const sandbox = await startTestSandbox();

    const response = await fetch(`${sandbox.url}/api/v1.0${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { 'access-token': token }) },
      body: JSON.stringify(aMessage()),
    });

    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('reason-phrase')).toContain('access token');
    expect(await response.text()).toBe('401 - Unauthorized');
  });

  test('without the content type of the contract returns the name of the missing header', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api(path, '{}', { 'content-type': 'text/plain' });

    expect(answer).toMatchObject({ status: 415, body: inErrorForm(415) });
  });

  test.each(['', '{', 'null', '[]', '"text"', '{}', '{"chatPlatform":1,"contacts":[1]}'])(
    'with the body %j returns 400 in the error format',
    async (body) => {
      const sandbox = await startTestSandbox();

      const answer = await sandbox.api(path, body);

      expect(answer).toMatchObject({ status: 400, body: inErrorForm(400) });
      expect(answer.text).not.toMatch(/ at .*\.ts/);
    },
  );

  test('with a body of more than 1 MiB returns 413 in the error format', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api(path, JSON.stringify(aMessage({ messageText: 'x'.repeat(1024 * 1024) })));

    expect(answer).toMatchObject({ status: 413, body: inErrorForm(413) });
  });
});

describe('a bad request', () => {
  test.each([
    [aMessage({ platformContactId: undefined }), 'platformContactId'],
    [aMessage({ messageText: 5 }), 'messageText'],
    [aMessage({ messageText: '' }), 'messageText'],
    [aMessage({ imageURL: 'no address' }), 'imageURL'],
    [aMessage({ fileURL: 'file:///etc/hosts' }), 'fileURL'],
  ])('names the invalid field of the message: %o', async (body, field) => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api('/message/v3', body);

    expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(field) } } });
  });

  test('names the variable that is not a string (contract: "string keys to string values")', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api('/intent/v2', anIntent({ params: { table: 7 } }));

    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('params.table') } },
    });
  });

  test('is checked for its token first, then its body and its channel, then the credit', async () => {
    const sandbox = await startTestSandbox({ credit: 0 });

    const noToken = await sandbox.api('/message/v3', '{', { 'access-token': `${TOKEN}x` });
    const noBody = await sandbox.api('/message/v3', '{');
    const noChannel = await sandbox.api('/message/v3', aMessage({ chatChannelNumber: '+1' }));

    expect([noToken.status, noBody.status]).toEqual([401, 400]);
    expect(noChannel.body).toMatchObject({ error: { code: 304 } });
  });

  test('to an unknown path or version returns an empty 404 (field notes; contract, "Versioning")', async () => {
    const sandbox = await startTestSandbox();

    const answers = await Promise.all([
      sandbox.api('/message/v2', aMessage()),
      sandbox.api('/intent/v1', aMessage()),
      sandbox.api('/../v1.1/message/v3', aMessage()),
      sandbox.api('/../v2.0/message/v3', aMessage()),
      fetch(`${sandbox.url}/api/v1.0/message/v3`).then(async (get) => ({ status: get.status, text: await get.text() })),
    ]);

    for (const answer of answers) expect(answer).toMatchObject({ status: 404, text: '' });
  });
});

describe('a bad call of the control API', () => {
  test.each([
    [`POST ${userPath(USER)}/messages`, {}],
    [`POST ${userPath(USER)}/messages`, { text: 'Hello', at: 'yesterday' }],
    [`POST ${userPath(USER)}/messages`, { text: 'Hello', chatChannelNumber: '+1' }],
    [`POST ${userPath(USER)}/messages`, { text: 'Hello', imageUrl: [] }],
    [`PATCH ${userPath(USER)}`, { device: 'broken' }],
    [`PATCH ${userPath(USER)}`, { readReceipt: false }],
    ['POST /clock', { advanceSeconds: -1 }],
    ['POST /clock', { advanceSeconds: 1e300 }],
    ['POST /clock', 'soon'],
    ['PATCH /account', { credit: 1.5 }],
    ['PUT /rules/table_ready', aRule({ status: 'maybe' })],
    ['PUT /rules/table_ready', aRule({ category: 'advertising' })],
    ['PUT /rules/table_ready', aRule({ text: undefined })],
    ['PUT /rules/table_ready', aRule({ imageURL: 'https://media.example/cat.gif' })],
    [`POST ${userPath(USER)}/messages`, { imageUrls: ['https://media.example/cat.gif'] }],
    [`POST ${userPath(USER)}/messages`, '{'],
    [`PATCH ${userPath(USER)}`, 'null'],
    ['POST /access-tokens', { accessToken: 'with space' }],
    ['POST /access-tokens', { expiresInSeconds: -1 }],
    ['POST /account/approval', {}],
    ['POST /account/approval', { numbers: [{ kind: 'fax' }] }],
    ['PUT /templates/table_ready', { text: 'Hello' }],
    ['PUT /templates/table_ready', { category: 'payment' }],
    ['POST /templates/table_ready/decision', {}],
    ['POST /links', { text: 7 }],
    ['POST /links/open', []],
    ['POST /events', '{'],
  ])('%s with %o returns 400 in the error format', async (call, body) => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.control(call, body);

    expect(answer).toMatchObject({ status: 400, body: inErrorForm(400) });
  });

  test('returns 404 for an unknown path, and 409 for a message from a user who left the platform', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control(`PATCH ${userPath(USER)}`, { onPlatform: false });

    const unknown = await sandbox.control('POST /nothing', {});
    const offPlatform = await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });

    expect(unknown).toMatchObject({ status: 404, body: inErrorForm(404) });
    expect(offPlatform).toMatchObject({ status: 409, body: inErrorForm(409) });
  });
});

/** Every endpoint of the control API that takes a JSON body. */
const WITH_BODY = [
  `POST ${userPath(USER)}/messages`,
  `PATCH ${userPath(USER)}`,
  'POST /clock',
  'PATCH /account',
  'POST /account/approval',
  'POST /access-tokens',
  'PUT /rules/table_ready',
  'PUT /templates/table_ready',
  'POST /templates/table_ready/decision',
  'POST /links',
  'POST /links/open',
  'PUT /webhook',
  'POST /replay',
];

describe.each(WITH_BODY)('a bad body for %s', (call) => {
  test.each(['', '{', 'null', '[]', '7', '"text"', '{"unknown":1}', `${'['.repeat(100_000)}`, '{"__proto__":{"a":1}}'])(
    'returns 400 in the error format: %j',
    async (body) => {
      const sandbox = await startTestSandbox();

      const answer = await sandbox.control(call, body);

      expect(answer).toMatchObject({ status: 400, body: inErrorForm(400) });
      expect(answer.text).not.toMatch(/ at .*\.ts/);
    },
  );

  test('returns 413 if it is too long', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.control(call, `{"text":"${'x'.repeat(9 * 1024 * 1024)}"}`);

    expect(answer).toMatchObject({ status: 413, body: inErrorForm(413) });
  });
});

test.each([
  'GET /users/%zz/conversation',
  'GET /users?limit=-1&before=%00',
  'GET /calls?limit=many&before=unknown',
  'GET /feed/unknown',
  'DELETE /users/x',
])('%s does not cause an internal error', async (call) => {
  const sandbox = await startTestSandbox();

  const answer = await sandbox.control(call);

  expect(answer.status).toBeLessThan(500);
  expect(answer.text).not.toMatch(/ at .*\.ts/);
});
