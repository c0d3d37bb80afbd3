import { createServer } from 'node:http';
import { z } from 'zod';
import { type ListeningServer, listenLocally } from '../listen-locally.ts';
import { readJson } from './read-json.ts';
import type { Secret, SecretStore, SecretVersion } from './secret-store.ts';

const getSecretValue = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
const putSecretValue = z.object({ SecretId: z.string(), SecretString: z.string() });

interface Answer {
  readonly status: number;
  readonly body: object;
}

/**
 * Stands in for Secrets Manager: `GetSecretValue` and `PutSecretValue`, in the AWS JSON 1.1 protocol.
 *
 * Every other call is refused by name, those to services that the run has no stand-in for included.
 *
 * Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_Operations.html
 */
export const startSecretsManager = (store: SecretStore): Promise<ListeningServer> => {
  const server = createServer((request, response) => {
    void readJson(request).then((input) => {
      const { status, body } = answer(
        store,
        String(request.headers['x-amz-target'] ?? `${request.method} ${request.url}`),
        input,
      );
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
  });
  return listenLocally(server);
};

const answer = (store: SecretStore, target: string, input: unknown): Answer => {
  if (target === 'secretsmanager.GetSecretValue') {
    const { data } = getSecretValue.safeParse(input);
    if (!data) return failure('InvalidParameterException', 'GetSecretValue needs a SecretId.');
    const secret = store.find(data.SecretId);
    if (!secret) return notFound();
    const version = secret.versions.find(
      ({ versionId, stages }) =>
        (data.VersionId === undefined || versionId === data.VersionId) &&
        (data.VersionStage === undefined
          ? data.VersionId !== undefined || stages.has('AWSCURRENT')
          : stages.has(data.VersionStage)),
    );
    if (!version) return notFound(`for staging label: ${data.VersionStage ?? 'AWSCURRENT'}`);
    return {
      status: 200,
      body: {
        ...described(secret, version),
        SecretString: version.secretString,
        CreatedDate: version.createdAt.getTime() / 1000,
      },
    };
  }
  if (target === 'secretsmanager.PutSecretValue') {
    const { data } = putSecretValue.safeParse(input);
    if (!data) return failure('InvalidParameterException', 'PutSecretValue needs a SecretId and a SecretString here.');
    const secret = store.find(data.SecretId);
    if (!secret) return notFound();
    return { status: 200, body: described(secret, store.put(secret, data.SecretString)) };
  }
  return failure(
    'UnknownOperationException',
    `The local run does not know ${target}; it has no stand-in for this call.`,
  );
};

const described = ({ arn, name }: Secret, { versionId, stages }: SecretVersion) => ({
  ARN: arn,
  Name: name,
  VersionId: versionId,
  VersionStages: [...stages],
});

const notFound = (detail = ''): Answer =>
  failure(
    'ResourceNotFoundException',
    `Secrets Manager can't find the specified secret${detail && ` value ${detail}`}.`,
  );

const failure = (type: string, message: string): Answer => ({ status: 400, body: { __type: type, message } });
