import type { AddressedRequest } from '../domain/addressed-request.ts';
import { type Contact, type ContactRef, isSameUser } from '../domain/contact.ts';
import { parseInstant } from '../domain/instant.ts';
import type { MessageRepository } from '../ports.ts';

/**
 * Returns the request with the time of the message that its `since` names in place of the message's ID, or unchanged if
 * `since` names no message of this user. Reads the message only if it is not the user's latest.
 *
 * @param contact what is stored about `ref`
 */
export const readSince = async (
  messages: Pick<MessageRepository, 'readOrigin'>,
  request: AddressedRequest,
  ref: ContactRef,
  { lastInboundId, lastInboundAt }: Contact,
): Promise<AddressedRequest> => {
  const { since } = request;
  if (since === undefined || parseInstant(since) !== undefined) return request;
  if (since === lastInboundId) return { ...request, since: lastInboundAt ?? since };
  const message = await messages.readOrigin(since);
  // A message whose user has no known address cannot be shown to be another user's.
  const isOfUser = message !== undefined && (message.contact === undefined || isSameUser(message.contact, ref));
  return isOfUser ? { ...request, since: message.createdAt } : request;
};
