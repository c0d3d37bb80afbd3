import { type DeliveryAttempt, type PublishedMessage, shownBody } from './published-message.ts';
import type { WebhookSettings } from './subscription.ts';

/*
 * Deliveries as the control API and the feed show them. docs/sandbox-api.md documents these fields.
 */

export const deliveryView = ({ messageId, shownBody, attempt, at, status, error }: DeliveryAttempt) => ({
  messageId,
  event: eventView(shownBody),
  attempt,
  status,
  at: at.toISOString(),
  ...(error === undefined ? {} : { error }),
});

/** An event that was dropped without acknowledgment: after seven days, or after one post if there is no redelivery. */
export const expiredView = (message: PublishedMessage) => ({
  messageId: message.messageId,
  event: eventView(shownBody(message)),
  publishedAt: message.publishedAt.toISOString(),
  attempts: message.attempts,
});

/** The webhook's settings without its secrets. */
export const webhookView = ({ url, auth, wrapped = true }: WebhookSettings) => ({ url, kind: auth.kind, wrapped });

/** The event's JSON, or a string if the bytes are not JSON. */
export const eventView = (body: Uint8Array): unknown => {
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
