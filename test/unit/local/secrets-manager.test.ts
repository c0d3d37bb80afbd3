import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretStore } from '../../../local/emulators/secret-store.ts';
import { startSecretsManager } from '../../../local/emulators/secrets-manager.ts';
import type { ListeningServer } from '../../../local/listen-locally.ts';

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

describe('the stand-in for Secrets Manager', () => {
  it('gives the value of a secret by its name and by its ARN', async () => {
    const arn = store.create('by-name', 'first');

    const byName = await client.send(new GetSecretValueCommand({ SecretId: 'by-name' }));
    const byArn = await client.send(new GetSecretValueCommand({ SecretId: arn }));

    expect(byName).toMatchObject({ ARN: arn, Name: 'by-name', SecretString: 'first', VersionStages: ['AWSCURRENT'] });
    expect(byName.CreatedDate).toBeInstanceOf(Date);
    expect(byArn.VersionId).toBe(byName.VersionId);
  });

  it('keeps the value before as the previous one', async () => {
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

  it('finds no secret of another name, and no value in a secret without one', async () => {
    store.create('empty', undefined);

    const unknown = client.send(new GetSecretValueCommand({ SecretId: 'unknown' }));
    const empty = client.send(new GetSecretValueCommand({ SecretId: 'empty' }));

    await expect(unknown).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(empty).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('says of any other operation that it is not known here', async () => {
    const describing = client.send(new DescribeSecretCommand({ SecretId: 'by-name' }));

    await expect(describing).rejects.toThrow('does not know secretsmanager.DescribeSecret');
  });
});
