import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { isPhone } from '../domain/contact.ts';
import { readInstant } from '../domain/instant.ts';
import { encodePost, MAX_ENCODED_BYTES, readCarrierMessageId, type VerifiedPost } from '../domain/verified-post.ts';
import type { Clock, Log, Metrics, WebhookVerifier } from '../ports.ts';
import type { Receipt } from './receive-event.ts';

export interface WebhookHandlerPorts {
  readonly verifier: WebhookVerifier;
  readonly receiveEvent: (post: VerifiedPost) => Promise<Receipt>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

type Answer = APIGatewayProxyStructuredResultV2;

/** Answers tell nothing of the check and nothing internal. */
const answer = (statusCode: number, message: string): Answer => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
});
const ACKNOWLEDGED = answer(200, 'OK');
const UNAUTHORIZED = answer(401, 'Unauthorized');
const TOO_LARGE = answer(413, 'Payload Too Large');
const UNAVAILABLE = answer(503, 'Service Unavailable');

/** `POST /webhook` and `POST /webhook/{chatChannelNumber}`: verifies the raw bytes, then, and only then, reads them. */
export const createWebhookHandler =
  (ports: WebhookHandlerPorts) =>
  async (event: APIGatewayProxyEventV2): Promise<Answer> => {
    const { clock, metrics } = ports;
    const unverifiedBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    try {
      return (
        (await refuseUnverified(ports, event.headers, unverifiedBody)) ??
        (await receive(ports, {
          rawBody: unverifiedBody,
          ...carrierMetadata(event.headers),
          ...businessNumber(event.pathParameters),
          receivedAt: clock.now(),
        }))
      );
    } finally {
      metrics.flush();
    }
  };

const refuseUnverified = async (
  { verifier, log, metrics }: WebhookHandlerPorts,
  headers: APIGatewayProxyEventV2['headers'],
  unverifiedBody: Buffer,
): Promise<Answer | undefined> => {
  const verdict = await verifier.verify({ headers, unverifiedBody });
  switch (verdict.kind) {
    case 'authentic':
      return undefined;
    case 'handshake':
      metrics.count('WebhookHandshake');
      log.info('post without an event, dealt with', { reason: verdict.reason });
      return ACKNOWLEDGED;
    case 'forged':
      metrics.count('WebhookForged');
      log.warn('post refused: not the carrier’s', { reason: verdict.reason });
      return UNAUTHORIZED;
    case 'undecided':
      metrics.count('WebhookUndecided');
      log.error('post left to redelivery: it cannot be verified now', { reason: verdict.reason });
      return UNAVAILABLE;
  }
};

const receive = async ({ receiveEvent, log, metrics }: WebhookHandlerPorts, post: VerifiedPost): Promise<Answer> => {
  const bytes = Buffer.byteLength(encodePost(post));
  if (bytes > MAX_ENCODED_BYTES) {
    metrics.count('EventTooLarge');
    log.error('post refused: larger than the inbound queue carries', { bytes, limit: MAX_ENCODED_BYTES });
    return TOO_LARGE;
  }
  return (await receiveEvent(post)) === 'unavailable' ? UNAVAILABLE : ACKNOWLEDGED;
};

/**
 * What a carrier says of a message beside the event itself. The timestamp of a Standard Webhooks post is that of the
 * attempt, which the next one changes, so that it says nothing of the event.
 * Source: https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
const carrierMetadata = (headers: APIGatewayProxyEventV2['headers']) => ({
  carrierMessageId: readCarrierMessageId(headers['x-goog-pubsub-message-id'] ?? headers['webhook-id']),
  publishedAt: readInstant(headers['x-goog-pubsub-publish-time']),
});

/** What stands in the path counts when it is written like a number; else the event's own fields may tell. */
const businessNumber = (
  parameters: APIGatewayProxyEventV2['pathParameters'],
): Pick<VerifiedPost, 'chatChannelNumber'> => {
  const chatChannelNumber = parameters?.chatChannelNumber;
  return chatChannelNumber !== undefined && isPhone(chatChannelNumber) && chatChannelNumber.length <= 32
    ? { chatChannelNumber }
    : {};
};
