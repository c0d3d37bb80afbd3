import { createHash } from 'node:crypto';
import { messageGroup } from '../contact.ts';
import { queueJson } from '../queue-json.ts';
import * as z from '../schema.ts';
import type { SendRequest } from '../send-request.ts';
import type { Traceparent } from '../trace-context.ts';
import type { InboundMessage } from '../webhook-event.ts';

/** A message of the send queue: a request and where it belongs. */
export interface OptOutConfirmation {
  readonly body: string;
  readonly groupId: string;
  readonly deduplicationId: string;
  readonly traceparent: Traceparent;
}

/** Returns the ID of the request that confirms the opt-out of a message. */
export const optOutConfirmationId = (messageId: string): string =>
  `opt-out-${createHash('sha256').update(messageId).digest('hex')}`;

/**
 * Returns the queue message of the request that confirms the opt-out of a message. It is the same for every delivery of
 * the message. The request therefore has no text, which the stage may change in between. Returns undefined for an
 * address or a platform that is too long for a request.
 */
export const optOutConfirmation = ({
  id,
  contact,
  address,
  chatChannelNumber,
  traceparent,
}: InboundMessage): OptOutConfirmation | undefined => {
  if ([address, contact.platform].some(({ length }) => length > z.MAX_NAME_LENGTH)) return undefined;
  const requestId = optOutConfirmationId(id);
  // SQS refuses some characters, which an address can have.
  const body = queueJson({
    requestId,
    platformContactId: address,
    chatPlatform: contact.platform,
    chatChannelNumber,
    confirmsOptOut: true,
  } satisfies SendRequest);
  return { body, groupId: messageGroup(address), deduplicationId: requestId, traceparent };
};
