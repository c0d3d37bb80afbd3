import { z } from 'zod';
import { type ManagementClient, ManagementError } from './management-client.ts';

/** All that is needed of the stage, so that earlier versions can be checked too. */
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

/** Whether a check failed because the chat service refuses the token. Only the message contains its HTTP status. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof ManagementError && error.code === 'CHAT_SERVICE_FAILED' && /\bHTTP 401\b/.test(error.message);

/** Whether a check failed because the chat service accepts the token, but not for the business's number. */
export const isChannelInvalid = (error: unknown): boolean =>
  error instanceof ManagementError && error.code === 'INVALID_CHANNEL';
