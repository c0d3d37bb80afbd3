import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { EVENT_OF_NEW_KIND, jwt, messageOfNobody, wireMessage } from '../support/builders.ts';
import { alarmMetrics, loggedMetrics, shownMetrics } from '../support/stack-metrics.ts';
import { startTestCloud } from '../support/test-cloud.ts';
import { synthesizedStack } from '../unit/lib/synthesized-stack.ts';

// An alarm on a metric that nobody emits never fires, and nothing else notices. So each alarm's metric must appear in
// the log of a function, under exactly the alarm's namespace, name, and dimensions. The alarm that only a stage with
// Amazon SNS has is in unsubscribed-alarm.test.ts.

const TOKEN_HEADER = 'x-webhook-token';
const SETTINGS = { webhook: { auth: { kind: 'shared-token', header: TOKEN_HEADER } }, window: { per: 'channel' } };
const { template } = synthesizedStack('dev', SETTINGS);

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud({ settings: SETTINGS });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

const emitted = async (): Promise<ReadonlySet<string>> => {
  const files = (await readdir(cloud.logFolder)).filter((file) => file.endsWith('.log'));
  const logs = await Promise.all(files.map((file) => readFile(join(cloud.logFolder, file), 'utf8')));
  return new Set(logs.flatMap(loggedMetrics));
};
const emittedMetric = (name: string) =>
  waitFor(`the metric ${name} is emitted`, async () =>
    [...(await emitted())].some((metric) => metric.split(' ')[1] === name) ? true : undefined,
  );

const token = () => cloud.emulators.secrets.find(cloud.webhookSecretId ?? '')?.versions[0]?.secretString ?? '';
const post = (path: string, event: unknown, headers: Record<string, string> = { [TOKEN_HEADER]: token() }) =>
  fetch(`${cloud.webhookUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(event) });

const DAY_SECONDS = 24 * 60 * 60;
const USER = '+5491155550070';
const NUMBER = '+5491100000000';
const write = async (id: string, path = '', changes: Record<string, unknown> = {}) => {
  const CREATION_TIME = cloud.clock.now().toISOString();
  await post(path, wireMessage({ _id_: id, FROM: USER, CREATION_TIME, ...changes }));
};
const request = (requestId: string, changes: Record<string, unknown> = {}) =>
  client.enqueue({ requestId, platformContactId: USER, messageText: 'Hi', ...changes });

/** What makes a function emit a metric that an alarm watches. */
const CAUSES: Readonly<Record<string, () => Promise<unknown>>> = {
  // First, because the conversation window below would close.
  async DeadLettersWaiting() {
    await client.putMessage(cloud.sendQueueUrl, '{}', { groupId: USER, id: 'malformed' });
    await waitFor('the request is dead-lettered', async () =>
      (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) === 1 ? true : undefined,
    );
    await client.advanceClock(9 * DAY_SECONDS);
  },
  async AccessTokenExpiring() {
    const { secrets } = cloud.emulators;
    const secret = secrets.find(cloud.accessTokenSecretId);
    if (secret === undefined) throw new Error('The stage has no access token.');
    const current = secret.versions[0]?.secretString ?? '';
    secrets.put(secret, jwt({ exp: 1 }));
    await client.advanceClock(DAY_SECONDS);
    await emittedMetric('AccessTokenExpiring');
    secrets.put(secret, current);
  },
  async RetriedMessageAge() {
    // By both functions that retry messages of their queues.
    cloud.emulators.pauseTables(true);
    await write('deferred');
    // Of a contact of its own, whose requests wait.
    await request('retried', { platformContactId: '+5491155550071' });
    const services = async () => [...(await emitted())].filter((metric) => metric.includes(' RetriedMessageAge '));
    await waitFor('both functions retry', async () => ((await services()).length === 2 ? true : undefined));
    cloud.emulators.pauseTables(false);
    await client.advanceClock(120);
    await emittedMetric('SendRefused');
  },
  EventTooLarge: () => post('', wireMessage({ TAGS: randomBytes(3 * 1024 * 1024).toString('base64') })),
  WebhookUnauthenticated: () => post('', {}, {}),
  LikelyEventRefused: () => post('', wireMessage(), {}),
  EventWithoutChannel: () => write('without-channel'),
  SenderUnknown: () => post('', messageOfNobody({ id: 'of-nobody', date: cloud.clock.now().toISOString() })),
  WebhookEventNew: () => post('', EVENT_OF_NEW_KIND),
  async SendUncertain() {
    await write('opens-the-window', `/${encodeURIComponent(NUMBER)}`);
    await client.control('POST', '/faults', { answers: { status: 502 } });
    await request('uncertain');
  },
  SendRejected: () => request('rejected', { messageText: undefined, ruleNameOrId: 'unknown_rule' }),
  async AccountHeld() {
    await client.control('PATCH', '/account', { credit: 0 });
    await request('held');
  },
  async PublishFailed() {
    cloud.emulators.buses.setFault(() => ({ errorCode: 'AccessDeniedException', message: 'Not authorized.' }));
    await write('not-published');
  },
};

describe('every alarm on a custom metric', () => {
  it('watches a metric that a function emits, and everything emitted is on the dashboard or an alarm', async () => {
    for (const [name, cause] of Object.entries(CAUSES)) {
      await cause();
      await emittedMetric(name);
    }
    cloud.emulators.buses.setFault(undefined);

    const found = await emitted();
    const watched = alarmMetrics(template);
    const names = new Set(watched.map(([, metric]) => metric.split(' ')[1] ?? ''));
    expect([...names].toSorted()).toEqual(Object.keys(CAUSES).toSorted());
    expect(watched.filter(([, metric]) => !found.has(metric))).toEqual([]);
    const shown = shownMetrics(template);
    expect([...found].filter((metric) => !shown.has(metric))).toEqual([]);
  });
});
