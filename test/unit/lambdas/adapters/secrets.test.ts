import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createCurrentAccessToken,
  createSecretsClient,
  createSecretsManagerAccessToken,
  createSecretsManagerWebhookSecret,
  type SecretsClient,
} from '../../../../lambdas/adapters/secrets.ts';
import { ms } from '../../../../lambdas/domain/duration.ts';
import {
  createSecretStore,
  type SecretStore,
  startSecretsManager,
} from '../../../../local/emulators/secrets-manager.ts';
import { type CountingProxy, startCountingProxy } from '../../../support/counting-proxy.ts';

let store: SecretStore;
let close: () => Promise<void>;
let proxy: CountingProxy;
let client: SecretsClient;

beforeAll(async () => {
  store = createSecretStore((name) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}`);
  const server = await startSecretsManager(store);
  proxy = await startCountingProxy(server.url);
  close = () => server.close();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: undefined };
  client = createSecretsClient({
    endpoint: proxy.url,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
    requestHandler: {},
  });
});
afterAll(async () => {
  await proxy.close();
  await close();
});
beforeEach(() => {
  proxy.calls.length = 0;
});

const putSecret = (name: string, value: string) => {
  const secret = store.find(name);
  if (secret) store.put(secret, value);
  else store.create(name, value);
};

describe('the current access token', () => {
  it('is read for each call, so that a check judges the token that is stored now', async () => {
    putSecret('current', 'token-1');
    const accessToken = createCurrentAccessToken(client, 'current');

    expect(await accessToken.read()).toBe('token-1');
    putSecret('current', 'token-2');

    expect(await accessToken.read()).toBe('token-2');
    expect(await accessToken.refresh('token-1')).toBe('token-2');
  });
});

describe('the access token', () => {
  it('is read once and kept in memory, without the whitespace around it', async () => {
    putSecret('cached', ' token-1\n');
    const accessToken = createSecretsManagerAccessToken(client, 'cached');

    expect(await Promise.all([accessToken.read(), accessToken.read()])).toEqual(['token-1', 'token-1']);
    expect(await accessToken.read()).toBe('token-1');

    expect(proxy.calls).toEqual(['GetSecretValue']);
  });

  it('is read only once more for several calls that were refused with it', async () => {
    putSecret('replaced', 'token-1');
    const accessToken = createSecretsManagerAccessToken(client, 'replaced');
    await accessToken.read();
    putSecret('replaced', 'token-2');

    const refreshed = await Promise.all([1, 2, 3].map(() => accessToken.refresh('token-1')));

    expect(refreshed).toEqual(['token-2', 'token-2', 'token-2']);
    expect(proxy.calls).toHaveLength(2);
  });

  it('is not read again for a call that was refused with an older one', async () => {
    putSecret('newer', 'token-2');
    const accessToken = createSecretsManagerAccessToken(client, 'newer');
    await accessToken.read();

    expect(await accessToken.refresh('token-1')).toBe('token-2');

    expect(proxy.calls).toHaveLength(1);
  });

  it('is read again after a failure', async () => {
    const accessToken = createSecretsManagerAccessToken(client, 'late');
    await expect(accessToken.read()).rejects.toThrow();
    putSecret('late', 'token-1');

    expect(await accessToken.read()).toBe('token-1');
  });

  it('must not be empty', async () => {
    store.create('empty', undefined);

    await expect(createSecretsManagerAccessToken(client, 'empty').read()).rejects.toThrow();
  });
});

describe('the webhook secret', () => {
  it('is read each time', async () => {
    putSecret('webhook', 'secret-1');
    const secret = createSecretsManagerWebhookSecret(client, 'webhook', ms(5_000));
    expect(await secret.read()).toBe('secret-1');
    putSecret('webhook', 'secret-2\nsecret-1');

    expect(await secret.read()).toBe('secret-2\nsecret-1');
  });

  it('rejects when Secrets Manager does not answer within the budget', async () => {
    proxy.swallow(true);

    const read = createSecretsManagerWebhookSecret(client, 'webhook', ms(20)).read();

    await expect(read).rejects.toMatchObject({ name: 'TimeoutError' });
    proxy.swallow(false);
  });
});
