import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { createSecretStore, startSecretsManager } from '../../../../local/emulators/secrets-manager.ts';

const store = createSecretStore((name) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}`);
let server: ListeningServer;
let client: SecretsManagerClient;

beforeAll(async () => {
  server = await startSecretsManager(store);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new SecretsManagerClient({ endpoint: server.url, region: 'us-east-1', credentials, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

describe('the Secrets Manager emulator', () => {
  it('returns the value of a secret by its name and by its ARN', async () => {
    const arn = store.create('by-name', 'first');

    const byName = await client.send(new GetSecretValueCommand({ SecretId: 'by-name' }));
    const byArn = await client.send(new GetSecretValueCommand({ SecretId: arn }));

    expect(byName).toMatchObject({ ARN: arn, Name: 'by-name', SecretString: 'first', VersionStages: ['AWSCURRENT'] });
    expect(byName.CreatedDate).toBeInstanceOf(Date);
    expect(byArn.VersionId).toBe(byName.VersionId);
  });

  it('keeps the previous value when a new one is put', async () => {
    store.create('rotated', 'first');

    const put = await client.send(new PutSecretValueCommand({ SecretId: 'rotated', SecretString: 'second' }));

    const current = await client.send(new GetSecretValueCommand({ SecretId: 'rotated' }));
    const previous = await client.send(new GetSecretValueCommand({ SecretId: 'rotated', VersionStage: 'AWSPREVIOUS' }));
    const byVersion = await client.send(new GetSecretValueCommand({ SecretId: 'rotated', VersionId: put.VersionId }));
    expect([current.VersionStages, previous.VersionStages]).toEqual([['AWSCURRENT'], ['AWSPREVIOUS']]);
    expect([current.SecretString, previous.SecretString, byVersion.SecretString]).toEqual([
      'second',
      'first',
      'second',
    ]);
  });

  it('returns an error for an unknown secret and for a secret without a value', async () => {
    store.create('empty', undefined);

    const unknown = client.send(new GetSecretValueCommand({ SecretId: 'unknown' }));
    const empty = client.send(new GetSecretValueCommand({ SecretId: 'empty' }));

    await expect(unknown).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(empty).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('rejects any other operation by name', async () => {
    const describing = client.send(new DescribeSecretCommand({ SecretId: 'by-name' }));

    await expect(describing).rejects.toThrow('does not support secretsmanager.DescribeSecret');
  });
});
