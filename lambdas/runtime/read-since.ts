import type { Contact } from '../domain/contact.ts';
import { parseInstant } from '../domain/instant.ts';
import type { SendRequest } from '../domain/send-request.ts';
import type { MessageRepository } from '../ports.ts';

/**
 * Returns the request with the time of the message that its `since` names in place of the message's ID, or unchanged if
 * `since` names no message of the table. Reads the message only if it is not the user's latest.
 */
export const readSince = async (
  messages: Pick<MessageRepository, 'read'>,
  request: SendRequest,
  { lastInboundId, lastInboundAt }: Contact,
): Promise<SendRequest> => {
  const { since } = request;
  if (since === undefined || parseInstant(since) !== undefined) return request;
  const at = since === lastInboundId ? lastInboundAt : (await messages.read(since))?.createdAt;
  return { ...request, since: at ?? since };
};
