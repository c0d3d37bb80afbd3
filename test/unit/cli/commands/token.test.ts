import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import { STAGE } from '../../../support/answer-forecasts.ts';
import { jwt } from '../../../support/builders.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';
import { runParley } from '../../../support/run-parley.ts';

let target: LocalTarget;
let secrets: ListeningServer;
let called: string[];
/** The last call to Secrets Manager. */
let stored: string;
/** What the stage answers when it checks the token. */
let checked: readonly [status: number, body: unknown];

beforeAll(async () => {
  target = await startLocalTarget({}, async (method, path) => {
    called.push(`${method} ${path}`);
    if (path === '/v1/stage') return [200, STAGE];
    return path === '/v1/contact-checks' ? checked : [200, {}];
  });
  secrets = await listenLocally(
    createServer(async (request, response) => {
      stored = await text(request);
      called.push(String(request.headers['x-amz-target']).replace('secretsmanager.', ''));
      response.end('{}');
    }),
  );
  const file = join(target.folder, 'local.json');
  const state = JSON.parse(readFileSync(file, 'utf8'));
  state.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = secrets.url;
  writeFileSync(file, JSON.stringify(state));
});
afterAll(async () => {
  await target?.[Symbol.asyncDispose]();
  await secrets?.close();
});

const set = (token = 'a-new-token') => {
  called = [];
  return runParley(['token', 'set'], { stateFolder: target.folder, stdin: `${token}\n` });
};

it('checks the token after it is stored, with the number of the business', async () => {
  checked = [200, { contacts: [] }];

  expect(await set()).toEqual({
    code: 0,
    out: 'Access token replaced for the local run.\nThe chat service accepts it.',
    err: '',
  });
  expect(called).toEqual(['POST /v1/audit', 'PutSecretValue', 'GET /v1/stage', 'POST /v1/contact-checks']);
});

it.each([
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffa-new-token\r\n')],
  ['UTF-16', Buffer.from('\ufeffa-new-token\r\n', 'utf16le')],
])('reads what PowerShell writes: %s', async (_case, bytes) => {
  checked = [200, { contacts: [] }];
  called = [];

  const result = await runParley(['token', 'set'], { stateFolder: target.folder, stdin: Readable.from([bytes]) });

  expect([result.code, JSON.parse(stored)]).toEqual([0, expect.objectContaining({ SecretString: 'a-new-token' })]);
});

it('says when the token expires, if it says so itself', async () => {
  checked = [200, { contacts: [] }];
  const expiresAt = Date.now() / 1000 + 100.5 * 24 * 60 * 60;
  const day = new Date(expiresAt * 1000).toISOString().slice(0, 10);

  expect((await set(jwt({ exp: expiresAt }))).out).toContain(`local run. It expires on ${day}, in 100 days.\n`);
});

it('says that the chat service refuses the token, and fails', async () => {
  checked = [502, { code: 'CHAT_SERVICE_FAILED', message: 'The contacts could not be checked. HTTP 401.' }];

  const { code, out } = await set();

  expect([code, out.split('\n')]).toEqual([
    6,
    [
      'Access token replaced for the local run.',
      'The chat service refuses it: copy the token from its console and set it with parley token set --local.',
      'The contacts could not be checked. HTTP 401.',
    ],
  ]);
});

it('says that the chat service accepts the token for another number, and fails', async () => {
  const message = 'HTTP 200, code 304: the channels of the access token are 5491100000001.';
  checked = [409, { code: 'INVALID_CHANNEL', message }];

  const { code, out } = await set();

  expect([code, out.split('\n')]).toEqual([
    6,
    [
      'Access token replaced for the local run.',
      "The chat service accepts it, but not for the stage's chatChannelNumber.",
      message,
    ],
  ]);
});

it.each([
  [502, { code: 'CHAT_SERVICE_FAILED', message: 'The contacts could not be checked. HTTP 503.' }],
  [502, { code: 'CHAT_SERVICE_FAILED', message: 'The contacts could not be checked. No answer within 4010 ms.' }],
  [500, { code: 'INTERNAL', message: 'Not the answer of the chat service: HTTP 401.' }],
])('says that the token could not be checked: %i %j', async (status, body) => {
  checked = [status, body];

  const { code, out } = await set();

  expect(code).toBe(6);
  expect(out).toContain('is unknown. Check it again with parley doctor --local.');
});
