import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { LoggableError } from '../domain/errors.ts';
import type { AccessToken, WebhookSecret } from '../ports.ts';
import { withinBudget } from '../runtime/time-budget.ts';

/** Caches the chat service's access token in memory. Never logs the token or includes it in an error. */
export const createSecretsManagerAccessToken = (client: SecretsManagerClient, secretId: string): AccessToken => {
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
export const createCurrentAccessToken = (client: SecretsManagerClient, secretId: string): AccessToken => {
  const read = async (): Promise<string> => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    if (!SecretString)
      throw new LoggableError(`The secret ${secretId} is empty; store the chat service's access token in it.`);
    return SecretString.trim();
  };
  return { read, refresh: read };
};

/** @param budgetMs the time budget for one read, including the SDK's retries */
export const createSecretsManagerWebhookSecret = (
  client: SecretsManagerClient,
  secretId: string,
  budgetMs: number,
): WebhookSecret => ({
  async read() {
    const command = new GetSecretValueCommand({ SecretId: secretId });
    const { SecretString } = await withinBudget(budgetMs, (abortSignal) => client.send(command, { abortSignal }));
    return SecretString ?? '';
  },
});
