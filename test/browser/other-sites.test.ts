import { createServer } from 'node:http';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ListeningServer, listenLocally } from '../../local/base/listen-locally.ts';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { startRuntimeApi } from '../../local/functions/runtime-api.ts';
import { eventually } from '../support/eventually.ts';
import { allDelivered, startTestCloud } from '../support/test-cloud.ts';
import { startChromium } from './chromium.ts';

// Attacks on the local servers from pages of other sites, in a browser on the same machine.

const EVIL = 'evil.test';
const USER = '+5491155559999';

let cloud: LocalCloud;
let client: LocalClient;
let browser: Browser;
let runtimeApi: ListeningServer;
let evilSite: ListeningServer;
let scheduler: SchedulerClient;
let secrets: SecretsManagerClient;
/** What the Runtime API passed on. */
const reported: unknown[] = [];

interface Target {
  readonly name: string;
  readonly url: string;
  /** Requests that change something, or return something, if they are answered. */
  readonly posts: readonly {
    readonly path: string;
    readonly body: string;
    readonly headers?: Record<string, string>;
  }[];
  readonly gets: readonly string[];
}

/** Returns an AWS API's operations. A form cannot name one, but a page of a name that resolves here can. */
const aws = (name: string, url: string, operation: string, body: object): Target => ({
  name,
  url,
  posts: [
    {
      path: '/',
      body: JSON.stringify(body),
      headers: { 'x-amz-target': operation, authorization: SIGNATURE, 'x-amz-date': '20261121T000000Z' },
    },
  ],
  gets: ['/'],
});
const SIGNATURE =
  'AWS4-HMAC-SHA256 Credential=local/20261121/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

const targets = (): readonly Target[] => {
  const { env, sendQueueUrl, tableName, accessTokenSecretId, eventBusName } = cloud;
  const message = { QueueUrl: sendQueueUrl, MessageBody: 'x', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
  const schedule = JSON.stringify({
    ScheduleExpression: 'at(2099-01-01T00:00:00)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage',
      RoleArn: 'r',
      Input: JSON.stringify(message),
    },
  });
  return [
    {
      name: 'sandbox',
      url: cloud.chatServiceUrl,
      posts: [
        { path: '/sandbox/reset', body: '' },
        { path: `/sandbox/users/${encodeURIComponent(USER)}/messages`, body: '{"text":"injected"}' },
        { path: '/sandbox/access-tokens', body: '{"accessToken":"token-of-a-page"}' },
        { path: '/sandbox/events', body: '{"_id_":"injected","FROM":"+5491155559999","MESSAGE":"injected"}' },
        { path: '/sandbox/clock', body: '{"advanceSeconds":60}' },
        { path: '/inspector/requests', body: '{"body":"{}","groupId":"g","deduplicationId":"d"}' },
        { path: '/inspector/dead-letters/send/redrive', body: '' },
        { path: '/inspector/requests/injected/resolution', body: '{"outcome":"failed"}' },
      ],
      gets: ['/', '/sandbox/state', '/sandbox/access-tokens', '/sandbox/feed', '/inspector/feed', '/inspector/sends'],
    },
    {
      name: 'webhook',
      url: new URL(cloud.webhookUrl).origin,
      posts: [{ path: '/webhook', body: '{"_id_":"injected"}' }],
      gets: ['/webhook'],
    },
    {
      name: 'management API',
      url: cloud.managementUrl,
      posts: [{ path: '/v1/sends', body: '{"requestId":"injected"}' }],
      gets: ['/v1/stage'],
    },
    aws('queues', env.AWS_ENDPOINT_URL_SQS ?? '', 'AmazonSQS.SendMessage', message),
    aws('secrets', env.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? '', 'secretsmanager.PutSecretValue', {
      SecretId: accessTokenSecretId,
      SecretString: 'token-of-a-page',
    }),
    aws('tables', env.AWS_ENDPOINT_URL_DYNAMODB ?? '', 'DynamoDB_20120810.PutItem', {
      TableName: tableName,
      Item: { pk: { S: 'MESSAGE#injected' }, sk: { S: 'MESSAGE' } },
    }),
    aws('event buses', env.AWS_ENDPOINT_URL_EVENTBRIDGE ?? '', 'AWSEvents.PutEvents', {
      Entries: [{ Source: 'injected', DetailType: 'injected', Detail: '{}', EventBusName: eventBusName }],
    }),
    {
      name: 'schedules',
      url: env.AWS_ENDPOINT_URL_SCHEDULER ?? '',
      posts: [{ path: '/schedules/injected', body: schedule }],
      gets: ['/schedules'],
    },
    {
      name: 'Runtime API',
      url: runtimeApi.url,
      posts: [
        { path: '/2018-06-01/runtime/init/error', body: '{}' },
        { path: '/2018-06-01/runtime/invocation/x/response', body: '{}' },
      ],
      gets: ['/2018-06-01/runtime/invocation/next'],
    },
  ];
};

beforeAll(async () => {
  [cloud, browser, evilSite, runtimeApi] = await Promise.all([
    startTestCloud(),
    startChromium([`--host-resolver-rules=MAP ${EVIL} 127.0.0.1`]),
    listenLocally(
      createServer((request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(request.url === '/' ? '<!doctype html><title>Evil</title><body></body>' : '');
      }),
    ),
    startRuntimeApi({
      started: (id) => reported.push(id),
      ended: (id) => reported.push(id),
      initFailed: (error) => reported.push(error),
    }),
  ]);
  client = createLocalClient(cloud);
  const options = { region: cloud.env.AWS_REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  scheduler = new SchedulerClient({ ...options, endpoint: cloud.env.AWS_ENDPOINT_URL_SCHEDULER });
  secrets = new SecretsManagerClient({ ...options, endpoint: cloud.env.AWS_ENDPOINT_URL_SECRETS_MANAGER });
  await client.userWrites(USER, { text: 'A secret of the user' });
  // Delivered, stored, and its contact and customer too, which are other writes.
  await eventually(async () => {
    const kinds = Object.keys(await client.table()).map((key) => key.split('#')[0]);
    return ['MESSAGE', 'CONTACT', 'CUSTOMER'].every((kind) => kinds.includes(kind)) || undefined;
  });
  await allDelivered(client);
});
afterAll(async () => {
  client?.close();
  scheduler?.destroy();
  secrets?.destroy();
  await browser?.close();
  await Promise.all([cloud?.close(), evilSite?.close(), runtimeApi?.close()]);
});

/** Everything that an attack could change, as programs see it. */
const everything = async () => {
  // The clock goes on by itself.
  const { now: _, ...state } = Object(await client.control('GET', '/state'));
  const depths = [cloud.sendQueueUrl, cloud.sendDeadLetterQueueUrl, cloud.inboundQueueUrl].map(client.queueDepth);
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: cloud.accessTokenSecretId }));
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({}));
  return {
    state,
    clockOffsetMs: cloud.clock.offsetMs,
    tokens: await client.control('GET', '/access-tokens'),
    deliveries: (await client.deliveries()).map(({ messageId, attempt }) => [messageId, attempt]),
    table: await client.table(),
    depths: await Promise.all(depths),
    token: SecretString,
    schedules: Schedules.map(({ Name }) => Name),
    reported: [...reported],
  };
};

/** Opens a page and records how the local servers answer its requests. */
const openPage = async (url: string) => {
  // The page of such a site comes from its owner, and not with the policy of a refusal.
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  const requested = new Set<string>();
  const statuses = new Set<number>();
  const ports = new Set(targets().map((target) => new URL(target.url).port));
  const isToLocalServer = (address: string) => ports.has(new URL(address).port);
  context.on('request', (request) => {
    const { port, pathname } = new URL(request.url());
    requested.add(`${request.method()} ${port}${pathname}`);
  });
  // Not reported for answers that the browser withholds from the page.
  context.on('response', (response) => isToLocalServer(response.url()) && statuses.add(response.status()));
  await page.goto(url);
  return { page, requested, statuses, close: () => context.close() };
};

/** Runs code in the page, with its first argument in the code as `input`. */
const inPage = <Result>(page: Page, input: unknown, code: string): Promise<Result> =>
  page.evaluate<Result>(`(async (input) => { ${code} })(${JSON.stringify(input)})`);

/** What a page can do without asking: a form, fetch without reading, elements. Then what it must ask for. */
const ATTACK = `
  const readable = [];
  const attempt = (promise) => Promise.race([promise.catch(() => undefined), new Promise((done) => setTimeout(done, 3000))]);
  for (const { path, body, headers } of input.posts) {
    const url = input.url + path;
    const loaded = new Promise((done) => {
      const frame = document.createElement('iframe');
      frame.name = 'frame' + Math.random();
      document.body.append(frame);
      const form = document.createElement('form');
      form.method = 'post'; form.enctype = 'text/plain'; form.action = url; form.target = frame.name;
      const field = document.createElement('input');
      // A form separates name and value with an equals sign, here inside the JSON's last string.
      field.name = body.slice(0, -2); field.value = body.slice(-2);
      form.append(field); document.body.append(form);
      frame.addEventListener('load', () => done());
      form.submit();
    });
    await attempt(loaded);
    await attempt(fetch(url, { method: 'POST', mode: 'no-cors', body }));
    await attempt(fetch(url, { method: 'POST', mode: 'no-cors', body, headers: { 'content-type': 'text/plain' } }));
    navigator.sendBeacon(url, body);
    for (const extra of [{}, headers ?? { 'content-type': 'application/json' }]) {
      await attempt(fetch(url, { method: 'POST', body, headers: extra }).then(async (r) => readable.push(url + await r.text())));
    }
  }
  for (const path of input.gets) {
    const url = input.url + path;
    await attempt(fetch(url).then(async (response) => readable.push(url + await response.text())));
    await attempt(fetch(url, { mode: 'no-cors' }));
    await attempt(new Promise((done) => { const image = new Image(); image.onload = image.onerror = done; image.src = url; }));
    await attempt(new Promise((done) => {
      const script = document.createElement('script');
      script.onload = script.onerror = done; script.src = url; document.head.append(script);
    }));
    await attempt(new Promise((done) => {
      const source = new EventSource(url);
      source.onopen = source.onmessage = () => { readable.push('stream of ' + url); source.close(); done(); };
      source.onerror = () => { source.close(); done(); };
    }));
  }
  for (const frame of document.querySelectorAll('iframe')) {
    try { if (frame.contentDocument?.body?.textContent) readable.push('frame'); } catch {}
  }
  return readable;`;

describe.each([
  ['of another site', EVIL],
  ['of another local server', '127.0.0.1'],
])('a page %s', (_, host) => {
  it('can neither change nor read anything on any local server', async () => {
    const before = await everything();
    const { page, requested, statuses, close } = await openPage(`http://${host}:${evilSite.port}/`);

    const readable: string[] = [];
    for (const target of targets()) readable.push(...(await inPage<string[]>(page, target, ATTACK)));
    await close();

    expect(readable).toEqual([]);
    const expected = targets().flatMap(({ url, posts, gets }) => [
      ...posts.map(({ path }) => `POST ${new URL(url).port}${path}`),
      ...gets.map((path) => `GET ${new URL(url).port}${path}`),
    ]);
    expect([...requested]).toEqual(expect.arrayContaining(expected));
    expect([...statuses]).toEqual([403]);
    expect(await everything()).toEqual(before);
  });

  it('can link to the console', async () => {
    const { page, close } = await openPage(`http://${host}:${evilSite.port}/`);
    await inPage(
      page,
      cloud.consoleUrl,
      `const link = document.createElement('a'); link.href = input; link.textContent = 'Console'; document.body.append(link);`,
    );

    await page.getByText('Console').click();

    await page.locator('.connection.live').waitFor();
    await close();
  });
});
