import { createHash, randomUUID } from 'node:crypto';

/** One version of a secret. */
export interface SecretVersion {
  readonly versionId: string;
  readonly secretString: string;
  readonly createdAt: Date;
  readonly stages: ReadonlySet<string>;
}

/** The secrets of a run, in memory. */
export interface SecretStore {
  /** Makes a secret, with a first version when there is a value; returns its ARN. */
  create(name: string, secretString: string | undefined): string;
  find(nameOrArn: string): Secret | undefined;
  /** Adds a version; it becomes the current one, and the current one the previous. */
  put(secret: Secret, secretString: string): SecretVersion;
}

export interface Secret {
  readonly arn: string;
  readonly name: string;
  /** Newest first. */
  readonly versions: readonly SecretVersion[];
}

/**
 * Keeps secrets with the staging labels of Secrets Manager.
 *
 * Source: https://docs.aws.amazon.com/secretsmanager/latest/userguide/whats-in-a-secret.html
 */
export const createSecretStore = (arnOf: (name: string) => string): SecretStore => {
  const secrets: (Secret & { versions: SecretVersion[] })[] = [];
  const put = (arn: string, secretString: string): SecretVersion => {
    const secret = secrets.find((candidate) => candidate.arn === arn);
    if (!secret) throw new Error(`There is no secret ${arn}.`);
    const version = { versionId: randomUUID(), secretString, createdAt: new Date(), stages: new Set(['AWSCURRENT']) };
    const [current] = secret.versions;
    secret.versions = current ? [version, { ...current, stages: new Set(['AWSPREVIOUS']) }] : [version];
    return version;
  };
  return {
    create(name, secretString) {
      // Secrets Manager ends an ARN with six characters of its own, so that a secret made anew has another ARN.
      const suffix = createHash('sha256').update(name).digest('hex').slice(0, 6);
      const arn = `${arnOf(name)}-${suffix}`;
      secrets.push({ arn, name, versions: [] });
      if (secretString !== undefined) put(arn, secretString);
      return arn;
    },
    find: (nameOrArn) => secrets.find(({ arn, name }) => nameOrArn === arn || nameOrArn === name),
    put: ({ arn }, secretString) => put(arn, secretString),
  };
};
