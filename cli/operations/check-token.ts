import { stageResponse } from '../../lambdas/manage/stage.ts';
import type { ManagementClient } from './management-client.ts';

/**
 * Asks the chat service to check the business's own number, which costs nothing, sends nothing, and needs a valid token.
 *
 * @param chatChannelNumber the business's number. @default the stage's
 * @throws ManagementError if the chat service refuses the token or does not answer.
 */
export const checkToken = async (call: ManagementClient, chatChannelNumber?: string): Promise<void> => {
  const number = chatChannelNumber ?? stageResponse.parse(await call('GET', '/v1/stage')).chatChannelNumber;
  await call('POST', '/v1/contact-checks', { contacts: [number], remember: false });
};
