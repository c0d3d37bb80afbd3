import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ListeningServer } from '../base/listen-locally.ts';
import {
  type AwsRequest,
  type AwsResponse,
  awsError,
  startAwsJsonServer,
  unknownOperation,
} from './aws-json-server.ts';

/** One version of a secret. */
export interface SecretVersion {
  readonly versionId: string;
  readonly secretString: string;
  readonly createdAt: Date;
  /** The staging labels. */
  readonly stages: ReadonlySet<string>;
}

export interface Secret {
  readonly arn: string;
  readonly name: string;
  readonly createdAt: Date;
  /** The current version, then the previous one. */
  readonly versions: readonly SecretVersion[];
}

/** The secrets of a run, in memory. */
export interface SecretStore {
  /** Creates a secret, with a first version if there is a value. Returns its ARN. */
  create(name: string, secretString: string | undefined): string;
  find(nameOrArn: string): Secret | undefined;
  /** Adds a version, which becomes the current one. The current version becomes the previous one. */
  put(secret: Secret, secretString: string): SecretVersion;
}

/**
 * Creates a store whose versions have the staging labels of Secrets Manager.
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
      // Secrets Manager appends six characters, so that a secret that is created again has a new ARN.
      const suffix = createHash('sha256').update(name).digest('hex').slice(0, 6);
      const arn = `${arnOf(name)}-${suffix}`;
      secrets.push({ arn, name, createdAt: new Date(), versions: [] });
      if (secretString !== undefined) put(arn, secretString);
      return arn;
    },
    find: (nameOrArn) => secrets.find(({ arn, name }) => nameOrArn === arn || nameOrArn === name),
    put: ({ arn }, secretString) => put(arn, secretString),
  };
};

/**
 * Emulates Secrets Manager's `GetSecretValue`, `PutSecretValue`, and `DescribeSecret`. It rejects every other operation,
 * including those of services that have no emulator.
 *
 * Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_Operations.html
 */
export const startSecretsManager = (store: SecretStore, port?: number): Promise<ListeningServer> => {
  const answer = ({ operation, input }: AwsRequest): AwsResponse => {
    if (operation === 'secretsmanager.GetSecretValue') return getSecretValue(store, input);
    if (operation === 'secretsmanager.PutSecretValue') return putSecretValue(store, input);
    if (operation === 'secretsmanager.DescribeSecret') return describeSecret(store, input);
    return unknownOperation(operation);
  };
  return startAwsJsonServer('application/x-amz-json-1.1', answer, port);
};

const getSecretValueInput = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});

const getSecretValue = (store: SecretStore, input: unknown): AwsResponse => {
  const { data } = getSecretValueInput.safeParse(input);
  if (!data) return awsError('InvalidParameterException', 'GetSecretValue requires a SecretId.');
  const secret = store.find(data.SecretId);
  if (!secret) return secretNotFound();
  const stage = data.VersionStage ?? (data.VersionId === undefined ? 'AWSCURRENT' : undefined);
  const version = secret.versions.find(
    ({ versionId, stages }) =>
      (data.VersionId === undefined || versionId === data.VersionId) && (stage === undefined || stages.has(stage)),
  );
  if (!version) return secretNotFound(` value for staging label: ${data.VersionStage ?? 'AWSCURRENT'}`);
  const { secretString: SecretString, createdAt } = version;
  const CreatedDate = createdAt.getTime() / 1000;
  return { status: 200, body: { ...describe(secret, version), SecretString, CreatedDate } };
};

const putSecretValueInput = z.object({ SecretId: z.string(), SecretString: z.string() });

const putSecretValue = (store: SecretStore, input: unknown): AwsResponse => {
  const { data } = putSecretValueInput.safeParse(input);
  if (!data) {
    return awsError('InvalidParameterException', 'The local PutSecretValue requires a SecretId and a SecretString.');
  }
  const secret = store.find(data.SecretId);
  if (!secret) return secretNotFound();
  return { status: 200, body: describe(secret, store.put(secret, data.SecretString)) };
};

const describeSecretInput = z.object({ SecretId: z.string() });

/**
 * Only fields that have a value are in the response. Only a new version changes an emulated secret.
 *
 * Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DescribeSecret.html
 */
const describeSecret = (store: SecretStore, input: unknown): AwsResponse => {
  const { data } = describeSecretInput.safeParse(input);
  if (!data) return awsError('InvalidParameterException', 'DescribeSecret requires a SecretId.');
  const secret = store.find(data.SecretId);
  if (!secret) return secretNotFound();
  const { arn: ARN, name: Name, createdAt, versions } = secret;
  const [current] = versions;
  return {
    status: 200,
    body: {
      ARN,
      Name,
      CreatedDate: createdAt.getTime() / 1000,
      LastChangedDate: (current?.createdAt ?? createdAt).getTime() / 1000,
      ...(current && {
        VersionIdsToStages: Object.fromEntries(versions.map(({ versionId, stages }) => [versionId, [...stages]])),
      }),
    },
  };
};

const describe = ({ arn, name }: Secret, { versionId, stages }: SecretVersion) => ({
  ARN: arn,
  Name: name,
  VersionId: versionId,
  VersionStages: [...stages],
});

const secretNotFound = (detail = ''): AwsResponse =>
  awsError('ResourceNotFoundException', `Secrets Manager can't find the specified secret${detail}.`);
