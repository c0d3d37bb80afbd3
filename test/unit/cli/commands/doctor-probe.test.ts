import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkProbe } from '../../../../cli/commands/doctor-probe.ts';
import { fingerprintOf } from '../../../../cli/operations/webhook-secrets.ts';
import type { Target } from '../../../../cli/target.ts';
import { createStandardWebhooksVerifier } from '../../../../lambdas/receive/auth/standard-webhooks-verifier.ts';
import {
  createSecretStore,
  type SecretStore,
  startSecretsManager,
} from '../../../../local/emulators/secrets-manager.ts';
import { type ListeningServer, listenLocally } from '../../../../local/listen-locally.ts';
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

const probe = (addresses: Partial<Target['addresses']> = {}) =>
  checkProbe(
    // The check reads nothing else of the target.
    {
      name: 'stack Parley-prod in eu-west-1',
      secretsManager: client,
      addresses: {
        webhookUrl: webhook.url,
        webhookSecretId: arn,
        webhookSecretKind: 'shared-token',
        webhookAuthHeader: 'auth-bm-token',
        ...addresses,
      },
    } as Target,
    NOW,
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
    const { verify } = createStandardWebhooksVerifier(
      { kind: 'standard-webhooks', toleranceSeconds: 300, envelope: 'none' },
      { secret: { read: async () => STANDARD_SECRET }, clock: { now: () => NOW }, log: silentLog },
    );
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
    ['is of an earlier version', { webhookAuthHeader: undefined }, 'warning', 'would quarantine it'],
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
