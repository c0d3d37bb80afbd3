import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Target } from '../../../../cli/base/target.ts';
import { checkProbe } from '../../../../cli/commands/doctor-probe.ts';
import { fingerprintOf } from '../../../../cli/operations/webhook-secrets.ts';
import { createStandardWebhooksVerifier } from '../../../../lambdas/receive/auth/standard-webhooks-verifier.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import {
  createSecretStore,
  type SecretStore,
  startSecretsManager,
} from '../../../../local/emulators/secrets-manager.ts';
import { NOW } from '../../../support/builders.ts';
import { STANDARD_SECRET } from '../../../support/signed-requests.ts';
import { silentLog } from '../../../support/telemetry.ts';

const FIRST = 'first-token-0123456789';
const SECOND = 'second-token-0123456789';

let store: SecretStore;
let secrets: ListeningServer;
let webhook: ListeningServer;
let client: SecretsManagerClient;
let arn: string;
/** Whether the webhook accepts a request, and the bodies that reached it. */
let accepts: (request: IncomingMessage, body: string) => Promise<boolean>;
let bodies: string[];

beforeEach(async () => {
  store = createSecretStore((name) => `arn:aws:secretsmanager:local:000000000000:secret:${name}`);
  arn = store.create('webhook', `${FIRST}\n${SECOND}`);
  secrets = await startSecretsManager(store);
  client = new SecretsManagerClient({
    endpoint: secrets.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  accepts = async ({ headers }) => [FIRST, SECOND].includes(String(headers['auth-bm-token']));
  bodies = [];
  webhook = await listenLocally(
    createServer(async (request, response) => {
      const body = await text(request);
      bodies.push(body);
      response.writeHead((await accepts(request, body)) ? 200 : 401).end();
    }),
  );
});
afterEach(async () => {
  client.destroy();
  await webhook?.close();
  await secrets?.close();
});

const probe = (addresses: Partial<Target['addresses']> = {}, isBuffered = false) =>
  checkProbe(
    // The check reads nothing else of the target.
    {
      name: 'stack Parley-prod in eu-west-1',
      secretsManager: client,
      region: 'eu-west-1',
      credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
      ...(isBuffered && { metricsNamespace: 'Parley-prod' }),
      addresses: {
        webhookUrl: webhook.url,
        webhookSecretId: arn,
        webhookSecretKind: 'shared-token',
        webhookAuthHeader: 'auth-bm-token',
        ...addresses,
      },
    } as Target,
    NOW,
    isBuffered,
  );

describe('doctor proves that the webhook accepts its secrets', () => {
  it('by a request with each of them, which is no event', async () => {
    expect(await probe()).toMatchObject({ grade: 'ok', message: expect.stringContaining('each of its 2 secrets') });
    expect(bodies).toEqual(['{"parley":"probe"}', '{"parley":"probe"}']);
  });

  it('and names those that it refuses by their fingerprints, never by themselves', async () => {
    accepts = async ({ headers }) => headers['auth-bm-token'] === FIRST;

    const finding = await probe();
    expect(finding).toMatchObject({
      grade: 'failing',
      message: `The webhook rejects 1 of its 2 secrets: ${fingerprintOf(SECOND)} (401).`,
    });
    expect(JSON.stringify(finding)).not.toContain(SECOND);
  });

  it('by a signature as Standard Webhooks specifies it', async () => {
    const { verify } = createStandardWebhooksVerifier({
      secret: { read: async () => STANDARD_SECRET },
      clock: { now: () => NOW },
      log: silentLog,
    });
    accepts = async ({ headers }, body) => {
      const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      return (await verify({ headers: flat, unverifiedBody: Buffer.from(body), receivedAt: NOW })).kind === 'authentic';
    };
    const signing = { webhookSecretKind: 'standard-webhooks', webhookAuthHeader: 'webhook-signature' };
    const stored = store.find(arn);
    if (stored) store.put(stored, STANDARD_SECRET);

    expect(await probe(signing)).toMatchObject({ grade: 'ok', message: expect.stringContaining('accepts its secret') });
    if (stored) store.put(stored, 'whsec_QW5vdGhlclNlY3JldE9mVGhpcnR5VHdvQnl0ZXMh');
    expect(await probe(signing)).toMatchObject({ grade: 'failing' });
  });

  it.each<[string, Partial<Target['addresses']>, string, string]>([
    ['has no secret', { webhookSecretId: undefined }, 'ok', 'does not verify requests (insecure-none)'],
    ['has a secret that cannot be read', { webhookSecretId: 'missing' }, 'warning', 'could not be read'],
  ])('and sends nothing to a webhook that %s', async (_case, addresses, grade, words) => {
    expect(await probe(addresses)).toMatchObject({ grade, message: expect.stringContaining(words) });
    expect(bodies).toEqual([]);
  });

  it('and fails if nothing answers', async () => {
    expect(await probe({ webhookUrl: 'http://127.0.0.1:9/webhook' })).toMatchObject({
      grade: 'failing',
      message: expect.stringContaining('(no response)'),
    });
  });
});

describe('doctor on a webhook with buffered ingress', () => {
  let cloudWatch: ListeningServer;
  let sums: Readonly<Record<string, number>> | undefined;
  beforeEach(async () => {
    cloudWatch = await listenLocally(
      createServer((request, response) => {
        const name = new URL(request.url ?? '', 'http://cloudwatch').searchParams.get('MetricName') ?? '';
        if (sums) response.end(`<Sum>${sums[name] ?? 0}</Sum>`);
        else response.writeHead(403).end('<Message>Access denied</Message>');
      }),
    );
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', cloudWatch.url);
    // API Gateway answers all requests alike.
    accepts = async () => true;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await cloudWatch.close();
  });

  const probeBuffered = (addresses: Partial<Target['addresses']> = {}) => probe(addresses, true);

  it.each([
    ['accepts the test requests of earlier runs', { WebhookProbed: 2, WebhookUnauthenticated: 1 }, 'ok', 'hours: 2.'],
    ['is asked for the first time', {}, 'ok', 'No earlier one was sent'],
    ['has accepted none of them', { WebhookUnauthenticated: 1 }, 'warning', 'None was accepted'],
    ['has metrics that cannot be read', undefined, 'warning', 'could not be counted.'],
  ])('says whether it %s', async (_case, counted, grade, words) => {
    sums = counted;
    expect(await probeBuffered()).toMatchObject({ grade, message: expect.stringContaining(words) });
    expect(bodies).toHaveLength(2);
  });

  it('fails if API Gateway does not put a test request on the queue', async () => {
    sums = { WebhookProbed: 2 };
    accepts = async ({ headers }) => headers['auth-bm-token'] === FIRST;
    const message = `API Gateway did not put the test request of 1 secret on the inbound queue: ${fingerprintOf(SECOND)} (401).`;
    expect(await probeBuffered()).toMatchObject({ grade: 'failing', message });
  });

  it('warns if it has accepted an unsigned test request, which is the only kind without a secret', async () => {
    sums = { WebhookProbed: 1 };
    const message = expect.stringContaining('accepts unsigned requests');
    expect(await probeBuffered({ webhookSecretId: undefined })).toMatchObject({ grade: 'warning', message });
    sums = { WebhookUnauthenticated: 1 };
    expect(await probeBuffered({ webhookSecretId: undefined })).toMatchObject({ grade: 'ok' });
  });
});
