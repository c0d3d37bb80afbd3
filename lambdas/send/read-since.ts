import type { Contact } from '../domain/contact.ts';
import { parseInstant } from '../domain/instant.ts';
import type { QueuedSend } from '../domain/send.ts';
import type { FinalDecision } from '../domain/send-decision.ts';
import type { MessageRepository } from '../ports.ts';

/**
 * Replaces a `since` that names a message with the message's time. Reads the message only if it is not the user's latest.
 * Returns a refusal if the table does not have the message.
 */
export const readSince = async (
  messages: Pick<MessageRepository, 'read'>,
  send: QueuedSend,
  { lastInboundId, lastInboundAt }: Contact,
): Promise<QueuedSend | FinalDecision> => {
  const { since } = send.request;
  if (since === undefined || parseInstant(since) !== undefined) return send;
  const at = since === lastInboundId ? lastInboundAt : (await messages.read(since))?.createdAt;
  if (at !== undefined) return { ...send, request: { ...send.request, since: at } };
  const why = `There is no message with the ID ${since}, which the request names as since.`;
  return { kind: 'refuse', code: 'SINCE_UNKNOWN', why };
};
