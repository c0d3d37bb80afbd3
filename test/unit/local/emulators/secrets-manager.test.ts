import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
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

  it('describes a secret with the staging labels of its versions, but not its value', async () => {
    const arn = store.create('described', 'first');
    const described = async () => client.send(new DescribeSecretCommand({ SecretId: 'described' }));

    const before = await described();
    await client.send(new PutSecretValueCommand({ SecretId: 'described', SecretString: 'second' }));
    const after = await described();

    expect(before).toMatchObject({ ARN: arn, Name: 'described', CreatedDate: expect.any(Date) });
    expect(before).not.toHaveProperty('SecretString');
    expect(Object.values(before.VersionIdsToStages ?? {})).toEqual([['AWSCURRENT']]);
    expect(Object.values(after.VersionIdsToStages ?? {})).toEqual([['AWSCURRENT'], ['AWSPREVIOUS']]);
    expect(Object.keys(after.VersionIdsToStages ?? {})[1]).toBe(Object.keys(before.VersionIdsToStages ?? {})[0]);
    expect(after.CreatedDate).toEqual(before.CreatedDate);
  });

  it('describes a secret without a value, and no unknown secret', async () => {
    store.create('valueless', undefined);

    const described = await client.send(new DescribeSecretCommand({ SecretId: 'valueless' }));
    const unknown = client.send(new DescribeSecretCommand({ SecretId: 'unknown' }));

    expect(described.VersionIdsToStages).toBeUndefined();
    await expect(unknown).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('rejects any other operation by name', async () => {
    const listing = client.send(new ListSecretVersionIdsCommand({ SecretId: 'by-name' }));

    await expect(listing).rejects.toThrow('does not support secretsmanager.ListSecretVersionIds');
  });
});
