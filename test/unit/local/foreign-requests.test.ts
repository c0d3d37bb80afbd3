import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMovableClock } from '../../../local/base/clock.ts';
import type { ListeningServer } from '../../../local/base/listen-locally.ts';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import { startDynamoDb } from '../../../local/emulators/dynamodb.ts';
import { startEventBridge } from '../../../local/emulators/event-bridge.ts';
import { createEventBuses } from '../../../local/emulators/event-buses.ts';
import { startScheduler } from '../../../local/emulators/scheduler.ts';
import { createSchedules } from '../../../local/emulators/schedules.ts';
import { createSecretStore, startSecretsManager } from '../../../local/emulators/secrets-manager.ts';
import { startSqs } from '../../../local/emulators/sqs/sqs.ts';
import { startRuntimeApi } from '../../../local/functions/runtime-api.ts';
import { startHttpApi } from '../../../local/http-api/http-api.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';

const client = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const TABLES = 'DynamoDB_20120810.ListTables';
const SIGNED = 'AWS4-HMAC-SHA256 Credential=x/20260101/l/dynamodb/aws4_request, SignedHeaders=host, Signature=x';

/** Bodies that the HTTP API's function received. */
const invoked: string[] = [];

interface TestedServer {
  readonly url: string;
  /** A request that the server answers to a program with something other than 403. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const servers = new Map<string, TestedServer>();
const running = new AsyncDisposableStack();

const startAll = async (): Promise<void> => {
  const clock = createMovableClock();
  const use = async (starting: Promise<ListeningServer>) => running.use(await starting).url;
  const sandbox = await startSandbox({ accessTokens: ['t'], chatPlatform: 'chat', chatChannelNumbers: ['+549110'] });
  running.defer(() => sandbox.close());
  servers.set('the sandbox', { url: sandbox.url, path: '/sandbox/reset' });
  servers.set('the inspector', { url: sandbox.url, path: '/inspector/depths' });

  const api = running.use(
    await startHttpApi('api', 'Api', {
      clock,
      functionOf: () => async (event) => {
        invoked.push(event);
        return { ok: true, payload: '{"statusCode":200}' };
      },
      allowedHosts: ['parley.tunnel.example'],
    }),
  );
  api.addStage({ name: '$default', variables: undefined });
  api.addIntegration('i', { functionArn: 'arn', timeoutMs: 1_000 });
  api.addRoute('POST /webhook', 'i');
  api.addRoute('POST /v1/sends', 'i', 'AWS_IAM');
  servers.set('the webhook', { url: api.url, path: '/webhook' });

  const schedules = running.use(createSchedules(clock, () => undefined));
  const sqs = new SQSClient({ ...client, endpoint: 'http://127.0.0.1:9' });
  servers.set('the queues', {
    url: await use(startSqs()),
    headers: { 'x-amz-target': 'AmazonSQS.CreateQueue' },
    body: '{"QueueName":"made-by-a-page"}',
  });
  servers.set('the secrets', { url: await use(startSecretsManager(createSecretStore((name) => name))) });
  servers.set('the event bus', { url: await use(startEventBridge(createEventBuses(clock.now, () => undefined))) });
  servers.set('the schedules', {
    url: await use(startScheduler({ schedules, now: clock.now, sqs })),
    path: '/schedules/x',
  });
  const { path: folder } = running.use(await createRunFolder());
  servers.set('the tables', {
    url: await use(startDynamoDb(folder)),
    headers: { 'x-amz-target': TABLES, authorization: SIGNED, 'x-amz-date': '20260101T000000Z' },
  });
  const ignore = () => undefined;
  servers.set('the Runtime API', {
    url: await use(startRuntimeApi({ started: ignore, ended: ignore, initFailed: ignore })),
    path: '/2018-06-01/runtime/init/error',
  });
};

beforeAll(startAll);
afterAll(() => running.disposeAsync());

/** Sends a request as a page's simple request would be sent, with headers that fetch cannot set. */
const send = async (name: string, headers: Readonly<Record<string, string>> = {}) => {
  const { url, path = '/', headers: own, body = '{}' } = servers.get(name) ?? { url: '' };
  const options = { method: 'POST', headers: { 'content-type': 'text/plain', ...own, ...headers }, agent: false };
  const sent = request(url + path, options).end(body);
  const [answer] = await once(sent, 'response');
  return { status: Number(answer.statusCode), headers: answer.headers, text: await text(answer) };
};

const NAMES = [
  'the sandbox',
  'the inspector',
  'the webhook',
  'the queues',
  'the secrets',
  'the event bus',
  'the schedules',
  'the tables',
  'the Runtime API',
];

const ATTACKS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['a form on another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
  ['a page of another local server', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ['a page without an origin', { origin: 'null' }],
  ['a name that resolves to this machine', { host: 'evil.test' }],
  ['a name of such a page', { host: 'evil.test:4000', origin: 'http://evil.test:4000' }],
  ['an element of a page on another site', { 'sec-fetch-site': 'cross-site' }],
];

describe.each(NAMES)('%s', (name) => {
  it('answers a program', async () => {
    expect((await send(name)).status).not.toBe(403);
  });

  it.each(ATTACKS)('refuses %s and says what to do', async (_, headers) => {
    const calls = invoked.length;

    const answer = await send(name, headers);

    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect(answer.text).toMatch(/This server [^"]*(\\"[^"]*\\"[^"]*)?\. [A-Z][^"]*\./);
    expect(invoked.length).toBe(calls);
  });

  it('does not answer the preflight request of another site', async () => {
    const { url, path = '/' } = servers.get(name) ?? { url: '' };
    const response = await fetch(url + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'POST' },
    });

    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

describe('the local servers', () => {
  it('change nothing when they refuse a request', async () => {
    const sqs = new SQSClient({ ...client, endpoint: servers.get('the queues')?.url });
    onTestFinished(() => sqs.destroy());
    const { QueueUrls: before = [] } = await sqs.send(new ListQueuesCommand({}));
    await sqs.send(new CreateQueueCommand({ QueueName: 'by-a-program' }));

    await send('the queues', { origin: 'https://evil.test' });

    const { QueueUrls: after = [] } = await sqs.send(new ListQueuesCommand({}));
    expect(after).toHaveLength(before.length + 1);
  });

  it('show an AWS SDK why its request is refused', async () => {
    const dynamodb = new DynamoDBClient({ ...client, endpoint: servers.get('the tables')?.url });
    onTestFinished(() => dynamodb.destroy());
    dynamodb.middlewareStack.add(
      (next) => (args) => {
        Object.assign(Object(args.request).headers, { host: 'evil.test' });
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );

    await expect(dynamodb.send(new ListTablesCommand({}))).rejects.toThrow(
      /^This server runs on a developer's machine and answers only requests to 127\.0\.0\.1:\d+/,
    );
  });

  it('let several requests of a program pass on one connection', async () => {
    const dynamodb = new DynamoDBClient({ ...client, endpoint: servers.get('the tables')?.url });
    onTestFinished(() => dynamodb.destroy());

    for (let call = 0; call < 3; call += 1)
      expect((await dynamodb.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  });
});

describe('the host name of a tunnel', () => {
  const tunnel = { host: 'parley.tunnel.example' };
  const post = async (path: string) => {
    const sent = request((servers.get('the webhook')?.url ?? '') + path, { method: 'POST', headers: tunnel }).end('{}');
    const [answer] = await once(sent, 'response');
    return [answer.statusCode, await text(answer)];
  };

  it('reaches the webhook', async () => {
    expect(await post('/webhook')).toEqual([200, '']);
  });

  it('reaches no route that requires IAM', async () => {
    expect(await post('/v1/sends')).toEqual([403, expect.stringContaining('--allow-host')]);
  });

  it('reaches no other server', async () => {
    expect((await send('the queues', tunnel)).status).toBe(403);
  });
});
