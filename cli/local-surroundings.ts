import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';
import { ADDRESSES, type Surroundings } from './surroundings.ts';

const localState = z.object({
  ...Object.fromEntries(ADDRESSES.map((name) => [name, z.string()])),
  env: z.object({
    AWS_ACCESS_KEY_ID: z.string(),
    AWS_SECRET_ACCESS_KEY: z.string(),
    AWS_REGION: z.string(),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: z.string(),
    AWS_ENDPOINT_URL_SQS: z.string(),
  }),
});
const addresses = z.record(z.enum(ADDRESSES), z.string());

/** The run that `npm start` left its addresses of. */
export const localSurroundings = async (stateFolder: string): Promise<Surroundings> => {
  const file = join(stateFolder, 'local.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new CliError(EXIT.noAccess, `There is no ${file}; start the local run with npm start, or leave out --local.`);
  }
  const state = read(text, file);
  const { env } = state;
  const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY };
  const client = { region: env.AWS_REGION, credentials, maxAttempts: 2 };
  return {
    place: 'the local run',
    isLocal: true,
    region: env.AWS_REGION,
    addresses: addresses.parse(Object.fromEntries(ADDRESSES.map((name) => [name, Reflect.get(state, name)]))),
    credentials: async () => credentials,
    sqs: new SQSClient({ ...client, endpoint: env.AWS_ENDPOINT_URL_SQS }),
    secretsManager: new SecretsManagerClient({ ...client, endpoint: env.AWS_ENDPOINT_URL_SECRETS_MANAGER }),
  };
};

const read = (text: string, file: string) => {
  try {
    return localState.parse(JSON.parse(text));
  } catch {
    throw new CliError(EXIT.noAccess, `${file} is not of this version's npm start; start the local run again.`);
  }
};
