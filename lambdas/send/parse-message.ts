import type { SQSRecord } from 'aws-lambda';
import { type ContactDefaults, resolveContact } from '../domain/contact.ts';
import type { Instant } from '../domain/instant.ts';
import type { QueuedSend } from '../domain/send.ts';
import { parseSendRequest } from '../domain/send-request.ts';
import type { FifoMessage } from '../ports.ts';

/** The send of a queue message, or an explanation of what is wrong with the message. */
export type ParsedMessage =
  | { readonly kind: 'send'; readonly send: QueuedSend }
  | { readonly kind: 'malformed'; readonly explanation: string };

/**
 * Parses a message of the send queue.
 *
 * @param body the request's body: the message's own, or the stored one if the message is a due message
 */
export const parseMessage = (
  message: SQSRecord,
  body: string,
  contactDefaults: ContactDefaults,
  endBy: Instant,
): ParsedMessage => {
  const parsed = parseSendRequest(body);
  if (parsed.kind === 'malformed') return parsed;
  const { request } = parsed;
  const contact = resolveContact(contactDefaults, request);
  return { kind: 'send', send: { ...deadLetterOf(message, body), request, contact, endBy } };
};

/** Returns the copy of a message for the dead-letter queue, in the same message group. */
export const deadLetterOf = ({ messageId, attributes }: SQSRecord, body: string): FifoMessage => ({
  body,
  groupId: attributes.MessageGroupId ?? messageId,
  // Not the sender's id: SQS drops a second message with the same id within five minutes.
  deduplicationId: messageId,
});
