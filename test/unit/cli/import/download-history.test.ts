import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Target } from '../../../../cli/base/target.ts';
import { downloadHistory, parseSince } from '../../../../cli/import/download-history.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { listenLocally } from '../../../../local/base/listen-locally.ts';
import { NOW } from '../../../support/builders.ts';

const SINCE = addMs(NOW, -6 * 60 * 60 * 1000);

type Answer = readonly [status: number, body: string];
let answers: Answer[];
let received: { readonly token: unknown; readonly fromDate: string }[];
let said: string[];
let stop: AbortController;
let service: Awaited<ReturnType<typeof listenLocally>>;
let secrets: Awaited<ReturnType<typeof listenLocally>>;
let secretString: string | undefined;
let secretsManager: SecretsManagerClient;

beforeAll(async () => {
  service = await listenLocally(
    createServer(async (request, response) => {
      received.push({ token: request.headers['access-token'], ...JSON.parse(await text(request)) });
      const [status, body] = answers.shift() ?? [500, 'No more answers.'];
      response.writeHead(status).end(body);
    }),
  );
  secrets = await listenLocally(
    createServer((_request, response) => {
      response.writeHead(200).end(JSON.stringify({ SecretString: secretString }));
    }),
  );
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  secretsManager = new SecretsManagerClient({ region: 'us-east-1', credentials, endpoint: secrets.url });
});
afterAll(async () => {
  secretsManager?.destroy();
  await service?.close();
  await secrets?.close();
});
beforeEach(() => {
  answers = [];
  received = [];
  said = [];
  stop = new AbortController();
  secretString = 'secret-token';
});

const entry = (id: string) => ({ _id_: id, msg_from: 'bot', msg_to: '+5491150000001' });
const page = (hasMore: boolean, ...ids: string[]): Answer => [
  200,
  JSON.stringify({ hasMore, messages: ids.map(entry), count: ids.length }),
];

const download = (now = NOW) => {
  const target = { secretsManager, addresses: { accessTokenSecretId: 'token' } as Target['addresses'] };
  const context = {
    say: (line: string) => void said.push(line),
    stop: stop.signal,
    commandFor: (command: string) => command,
  };
  return downloadHistory(context, target, { chatServiceUrl: service.url, since: SINCE, now });
};

describe('the history of a chat service', () => {
  it('is read to its end with the access token of the stage', async () => {
    answers = [page(true, 'a', 'b'), page(true, 'c'), page(false, 'd')];

    const { entries, noun } = await download();

    expect(entries.map((each) => JSON.parse(each.text)._id_)).toEqual(['a', 'b', 'c', 'd']);
    expect(noun).toEqual(['entry', 'entries']);
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ token }) => token))).toEqual(new Set(['secret-token']));
    expect(said.at(-1)).toBe("Read 4 entries of the chat service's history.");
  });

  it('is read from its start in each run, because the service keeps the cursor of a time', async () => {
    answers = [page(false, 'a'), page(false, 'a')];

    await download(addMs(NOW, 1_234));
    await download(addMs(NOW, 5_678));

    const [one = '', other = ''] = received.map(({ fromDate }) => fromDate);
    expect(one).not.toBe(other);
    expect([one, other].every((from) => from <= SINCE && from > addMs(SINCE, -60_000))).toBe(true);
  });

  it('ends with an empty page, even if that has more', async () => {
    answers = [page(true, 'a'), page(true)];

    expect((await download()).entries).toHaveLength(1);
  });

  it.each<[string, Answer[], number, string]>([
    ['is empty', [page(false)], 3, 'has no history since'],
    ['is refused with 401', [[401, 'secret-token']], 5, 'refuses the access token'],
    ['is not there', [[404, '']], 4, 'does not offer message/download'],
    ['fails', [[500, '']], 1, 'with HTTP 500'],
    ['has another form', [[200, '{"items":[]}']], 1, 'unexpected response from message/download; expected'],
    ['is no JSON', [[200, '<html>']], 1, 'unexpected response from message/download; expected'],
  ])('that %s is explained', async (_name, given, exitCode, sentence) => {
    answers = given;

    const error = await download().catch((each: unknown) => each);

    expect(error).toMatchObject({ exitCode, message: expect.stringContaining(sentence) });
    expect(String(error)).not.toContain('secret-token');
  });

  it('is not read after Ctrl-C, nor without an access token', async () => {
    secretString = undefined;
    await expect(download()).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('no access token'),
    });
    secretString = 'secret-token';
    stop.abort();
    await expect(download()).rejects.toMatchObject({ exitCode: 130 });
    expect(received).toEqual([]);
  });
});

describe('--since', () => {
  it.each([
    ['missing', undefined],
    ['no time', 'yesterday'],
    ['in the future', addMs(NOW, 1)],
    ['more than a week ago', addMs(NOW, -7 * 24 * 60 * 60 * 1000)],
  ])('is refused if it is %s', (_name, text) => {
    expect(() => parseSince(text, NOW)).toThrow('--since');
  });

  it('is a time in the last week', () => {
    expect(parseSince('2026-11-20T07:00:00+01:00', NOW)).toBe('2026-11-20T06:00:00.000Z');
  });
});
