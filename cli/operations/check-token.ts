import { DescribeSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import { type ManagementClient, ManagementError } from './management-client.ts';

/** What the check needs to know of the stage. */
const namedStage = z.looseObject({ chatChannelNumber: z.string() });

/**
 * Asks the chat service to check the business's own number, which costs nothing, sends nothing, and needs a valid token.
 *
 * @param chatChannelNumber the business's number. @default the stage's
 * @throws ManagementError if the chat service refuses the token, does not know the number, or does not answer.
 */
export const checkToken = async (call: ManagementClient, chatChannelNumber?: string): Promise<void> => {
  const number = chatChannelNumber ?? namedStage.parse(await call('GET', '/v1/stage')).chatChannelNumber;
  await call('POST', '/v1/contact-checks', { contacts: [number], remember: false });
};

/** Whether a check failed because the chat service refuses the token. */
export const isTokenRefused = (error: unknown): boolean => hasStatus(error, 401);

/** Whether a check failed because the chat service does not know the path of the contact check. */
export const isPathUnknown = (error: unknown): boolean => hasStatus(error, 404);

/** Whether a check failed because the account has no credit. */
export const hasNoCredit = (error: unknown): boolean =>
  error instanceof ManagementError && /\bcode 101\b/.test(error.message);

/** Only the message contains the HTTP status of the chat service's answer. */
const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ManagementError &&
  error.code === 'CHAT_SERVICE_FAILED' &&
  new RegExp(`\\bHTTP ${status}\\b`).test(error.message);

/** Whether a check failed because the chat service accepts the token, but not for the business's number. */
export const isChannelInvalid = (error: unknown): boolean =>
  error instanceof ManagementError && error.code === 'INVALID_CHANNEL';

interface TokenSecret {
  readonly secretsManager: SecretsManagerClient;
  readonly addresses: { readonly accessTokenSecretId: string };
}

/**
 * Whether the stored token replaced the value that the deployment generated, without reading either.
 *
 * Secrets Manager labels the version that a new value replaces AWSPREVIOUS. The date of the last change shows nothing: a
 * change of the secret's tags moves it, too.
 *
 * Sources: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html and
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DescribeSecret.html
 */
export const wasTokenReplaced = async ({ secretsManager, addresses }: TokenSecret): Promise<boolean> => {
  const described = await secretsManager.send(new DescribeSecretCommand({ SecretId: addresses.accessTokenSecretId }));
  return Object.values(described.VersionIdsToStages ?? {}).some((labels) => labels.includes('AWSPREVIOUS'));
};
