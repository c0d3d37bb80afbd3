import type { GetSecretValueResponse } from '@aws-sdk/client-secrets-manager';
import type { Ms } from '../domain/duration.ts';
import { LoggableError } from '../domain/errors.ts';
import type { AccessToken, WebhookSecret } from '../ports.ts';
import { withinBudget } from '../runtime/time-budget.ts';
import { type AwsJsonClientOptions, type CallOptions, createAwsJsonClient } from './aws-json-client.ts';

/** Calls Secrets Manager. */
export interface SecretsClient {
  /** @throws AwsServiceError if Secrets Manager returns an error, or Node.js's error if there is no response. */
  getSecretValue(secretId: string, options?: CallOptions): Promise<Pick<GetSecretValueResponse, 'SecretString'>>;
}

/** Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html */
const SECRETS_MANAGER = {
  signingName: 'secretsmanager',
  targetPrefix: 'secretsmanager',
  jsonVersion: '1.1',
  // As in the SDK.
  retryBaseMs: 50,
} as const;

export const createSecretsClient = (options: AwsJsonClientOptions): SecretsClient => {
  const call = createAwsJsonClient(SECRETS_MANAGER, options);
  return {
    getSecretValue: (SecretId, callOptions) =>
      call('GetSecretValue', JSON.stringify({ SecretId }), JSON.parse, callOptions),
  };
};

/** Caches the chat service's access token in memory. Never logs the token or includes it in an error. */
export const createSecretsManagerAccessToken = (client: SecretsClient, secretId: string): AccessToken => {
  const { read: fetchToken } = createCurrentAccessToken(client, secretId);
  let cached: Promise<string> | undefined;

  const read = (): Promise<string> => {
    const reading = cached ?? fetchToken();
    cached = reading;
    reading.catch(() => {
      // Does not cache failures.
      if (cached === reading) cached = undefined;
    });
    return reading;
  };

  return {
    read,
    async refresh(refused) {
      // If several calls are refused at once, only the first drops the cached token, so the secret is read only once.
      const reading = cached;
      if (reading !== undefined && (await reading) === refused && cached === reading) cached = undefined;
      return read();
    },
  };
};

/**
 * Reads the chat service's access token for each call. The management API's check must judge the token that is stored,
 * not one that a running function has kept.
 */
export const createCurrentAccessToken = (client: SecretsClient, secretId: string): AccessToken => {
  const read = async (): Promise<string> => {
    const { SecretString } = await client.getSecretValue(secretId);
    if (!SecretString)
      throw new LoggableError(`The secret ${secretId} is empty; store the chat service's access token in it.`);
    return SecretString.trim();
  };
  return { read, refresh: read };
};

/** @param budgetMs the time budget for one read, including the SDK's retries */
export const createSecretsManagerWebhookSecret = (
  client: SecretsClient,
  secretId: string,
  budgetMs: Ms,
): WebhookSecret => ({
  async read() {
    const { SecretString } = await withinBudget(budgetMs, (abortSignal) =>
      client.getSecretValue(secretId, { abortSignal }),
    );
    return SecretString ?? '';
  },
});
