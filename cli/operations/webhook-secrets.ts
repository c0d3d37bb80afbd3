import { createHash } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

/** One of the secrets or tokens that verify webhook requests. */
export interface ActiveSecret {
  /** The start of the secret's SHA-256 hash, which does not reveal it. */
  readonly fingerprint: string;
  /** When it was stored, in ISO 8601. */
  readonly since: string;
  /** Whether it was stored at `since` or earlier, which only older versions would show. */
  readonly isOlder: boolean;
}

/** The stored secrets. `lines` has the values, which must never be printed. */
export interface StoredSecrets {
  readonly lines: readonly string[];
  readonly versionId: string | undefined;
  readonly secrets: readonly ActiveSecret[];
}

const FINGERPRINT_CHARACTERS = 12;

export const fingerprintOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex').slice(0, FINGERPRINT_CHARACTERS);

/** Reads the current secrets. The previous version shows which of them are older than the current one. */
export const readSecrets = async (client: SecretsManagerClient, SecretId: string): Promise<StoredSecrets> => {
  const current = await readVersion(client, SecretId, 'AWSCURRENT');
  const previous = await readVersion(client, SecretId, 'AWSPREVIOUS');
  const secrets = current.lines.map((line) => {
    const isOlder = previous.lines.includes(line);
    return { fingerprint: fingerprintOf(line), since: (isOlder ? previous : current).createdAt, isOlder };
  });
  return { lines: current.lines, versionId: current.versionId, secrets };
};

/**
 * Replaces the secrets. Secrets Manager has no conditional write, so it checks afterward.
 *
 * @returns whether nobody else changed them since they were read
 */
export const replaceSecrets = async (
  client: SecretsManagerClient,
  SecretId: string,
  before: StoredSecrets,
  lines: readonly string[],
): Promise<boolean> => {
  await client.send(new PutSecretValueCommand({ SecretId, SecretString: lines.join('\n') }));
  const { versionId } = await readVersion(client, SecretId, 'AWSPREVIOUS');
  return versionId === before.versionId;
};

const readVersion = async (client: SecretsManagerClient, SecretId: string, VersionStage: string) => {
  try {
    const {
      SecretString = '',
      CreatedDate,
      VersionId,
    } = await client.send(new GetSecretValueCommand({ SecretId, VersionStage }));
    const lines = SecretString.split(/\r?\n/).map((line) => line.trim());
    return {
      lines: lines.filter((line) => line !== ''),
      createdAt: (CreatedDate ?? new Date(0)).toISOString(),
      versionId: VersionId,
    };
  } catch (error) {
    // A secret that was never replaced has no previous version.
    if (VersionStage === 'AWSPREVIOUS' && error instanceof ResourceNotFoundException) {
      return { lines: [], createdAt: '', versionId: undefined };
    }
    throw error;
  }
};
