import type { SQSRecord } from 'aws-lambda';
import { resolveAddressee } from '../domain/addressed-request.ts';
import type { ContactDefaults } from '../domain/contact.ts';
import type { Instant } from '../domain/instant.ts';
import type { QueuedSend } from '../domain/send.ts';
import { parseSendRequest } from '../domain/send-request.ts';
import { parseTraceparent, startTrace, TRACEPARENT, type Traceparent } from '../domain/trace-context.ts';
import type { FifoMessage } from '../ports.ts';

/** The send of a queue message, or an explanation of what is wrong with the message. */
export type ParsedMessage =
  | { readonly kind: 'send'; readonly send: QueuedSend }
  | { readonly kind: 'malformed'; readonly explanation: string };

/** A request's body, and its trace if that is stored. */
export interface StoredRequest {
  readonly body: string;
  readonly traceparent?: Traceparent | undefined;
}

/**
 * Parses a message of the send queue.
 *
 * @param stored the request's body and trace: the message's own, or the stored ones if the message is a due message
 */
export const parseMessage = (
  message: SQSRecord,
  stored: StoredRequest,
  contactDefaults: ContactDefaults,
  endBy: Instant,
): ParsedMessage => {
  const parsed = parseSendRequest(stored.body);
  if (parsed.kind === 'malformed') return parsed;
  const { request } = parsed;
  const contact = resolveAddressee(contactDefaults, request);
  const queued = deadLetterOf(message, stored);
  const { traceparent = startTrace('send', request.requestId) } = queued;
  return { kind: 'send', send: { ...queued, request, contact, traceparent, endBy } };
};

/** Returns the copy of a message for the dead-letter queue, in the same message group. */
export const deadLetterOf = (
  message: SQSRecord,
  { body, traceparent = traceparentOf(message) }: StoredRequest,
): FifoMessage => ({
  body,
  groupId: message.attributes.MessageGroupId ?? message.messageId,
  // Not the sender's id: SQS drops a second message with the same id within five minutes.
  deduplicationId: message.messageId,
  ...(traceparent && { traceparent }),
});

/** Returns the trace that the sender of a message named. */
const traceparentOf = ({ messageAttributes }: SQSRecord): Traceparent | undefined =>
  parseTraceparent(messageAttributes[TRACEPARENT]?.stringValue);
