import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { AccessToken } from '../ports.ts';

/**
 * The chat service's access token, kept in memory while it works. It is never logged and stands in no error.
 */
export const createSecretsManagerAccessToken = (client: SecretsManagerClient, secretId: string): AccessToken => {
  let cached: Promise<string> | undefined;

  const fetchToken = async (): Promise<string> => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    if (!SecretString)
      throw new Error(`The secret ${secretId} has no text; put the chat service's access token there.`);
    return SecretString.trim();
  };

  const read = (): Promise<string> => {
    const reading = cached ?? fetchToken();
    cached = reading;
    // A failure must not be remembered.
    reading.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return reading;
  };

  return {
    read,
    async readAfresh(refused) {
      // Sends that were refused together read the secret once: the first one drops it, the others find another reading.
      const reading = cached;
      if (reading !== undefined && (await reading) === refused && cached === reading) cached = undefined;
      return read();
    },
  };
};
