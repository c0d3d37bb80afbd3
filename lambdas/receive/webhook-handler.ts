import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { numberOfChannel } from '../domain/contact.ts';
import { parseInstant } from '../domain/instant.ts';
import { fitsQueue } from '../domain/serialized-request.ts';
import { parseTraceparent, TRACEPARENT } from '../domain/trace-context.ts';
import { parseDeliveryId, type VerifiedRequest } from '../domain/webhook-request.ts';
import type { Clock, Log, Metrics, WebhookVerifier } from '../ports.ts';
import type { DeliveryFormat } from './auth/webhook-auth.ts';
import type { Receipt } from './receive-events.ts';
import { reportRefused } from './report-refused.ts';

export interface WebhookHandlerOptions {
  readonly verifier: WebhookVerifier;
  readonly format: DeliveryFormat;
  readonly receiveEvents: (request: VerifiedRequest) => Promise<Receipt>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

type Answer = APIGatewayProxyStructuredResultV2;

/** Uses constant bodies, so that a response reveals nothing about verification or Parley's internals. */
const answer = (statusCode: number, message: string): Answer => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
});
const ACKNOWLEDGED = answer(200, 'OK');
const UNAUTHORIZED = answer(401, 'Unauthorized');
const TOO_LARGE = answer(413, 'Payload Too Large');
const UNAVAILABLE = answer(503, 'Service Unavailable');

/** Handles `POST /webhook` and `POST /webhook/{chatChannelNumber}`. Verifies the raw bytes before parsing them. */
export const createWebhookHandler =
  (options: WebhookHandlerOptions) =>
  async (event: APIGatewayProxyEventV2): Promise<Answer> => {
    const unverifiedBody = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    const verified = await verify(options, event.headers, unverifiedBody);
    if (verified.kind === 'answered') return verified.answer;
    const { envelope, readsPubsubHeaders } = options.format;
    const traceparent = parseTraceparent(event.headers[TRACEPARENT]);
    const metadata = readsPubsubHeaders ? pubsubMetadata(event.headers) : {};
    return receive(options, {
      rawBody: verified.payload,
      ...(envelope && { envelope }),
      ...metadata,
      ...(verified.deliveryId !== undefined && { deliveryId: parseDeliveryId(verified.deliveryId) }),
      ...businessNumber(event.pathParameters),
      ...(traceparent && { traceparent }),
      receivedAt: options.clock.now(),
    });
  };

type Verified =
  | { readonly kind: 'authentic'; readonly payload: Buffer; readonly deliveryId?: string }
  | { readonly kind: 'answered'; readonly answer: Answer };

const answered = (answer: Answer): Verified => ({ kind: 'answered', answer });

/** Returns what was verified of an authentic request, or else the response. */
const verify = async (
  { verifier, format, log, metrics }: WebhookHandlerOptions,
  headers: APIGatewayProxyEventV2['headers'],
  unverifiedBody: Buffer,
): Promise<Verified> => {
  const verdict = await verifier.verify({ headers, unverifiedBody });
  switch (verdict.kind) {
    case 'authentic':
      return { ...verdict, payload: verdict.payload ?? unverifiedBody };
    case 'handshake':
      metrics.count('WebhookHandshake');
      log.info('handshake completed', { reason: verdict.reason });
      return answered(ACKNOWLEDGED);
    case 'unsubscribed':
      metrics.count('WebhookUnsubscribed');
      log.error('webhook unsubscribed', { reason: verdict.reason });
      return answered(ACKNOWLEDGED);
    case 'unauthenticated':
      reportRefused({ ...format, log, metrics }, { unverifiedBody, reason: verdict.reason });
      return answered(UNAUTHORIZED);
    case 'unavailable':
      metrics.count('WebhookVerificationUnavailable');
      log.error('webhook request not verified: verification unavailable; waiting for redelivery', {
        reason: verdict.reason,
      });
      return answered(UNAVAILABLE);
  }
};

const receive = async (
  { receiveEvents, log, metrics }: WebhookHandlerOptions,
  request: VerifiedRequest,
): Promise<Answer> => {
  if (!fitsQueue(request)) {
    metrics.count('EventTooLarge');
    log.error('webhook request rejected: too large for the inbound queue', { bytes: request.rawBody.byteLength });
    return TOO_LARGE;
  }
  return (await receiveEvents(request)) === 'not-stored' ? UNAVAILABLE : ACKNOWLEDGED;
};

/**
 * Reads the metadata of a Pub/Sub push that was configured to write it into headers.
 * Source: https://cloud.google.com/pubsub/docs/payload-unwrapping
 */
const pubsubMetadata = (headers: APIGatewayProxyEventV2['headers']) => ({
  deliveryId: parseDeliveryId(headers['x-goog-pubsub-message-id']),
  publishedAt: parseInstant(headers['x-goog-pubsub-publish-time']),
});

const MAX_NAME_CHARACTERS = 64;

/** Ignores a path segment that names no phone number. The event's own fields may still name one. */
const businessNumber = (
  parameters: APIGatewayProxyEventV2['pathParameters'],
): Pick<VerifiedRequest, 'chatChannelNumber'> => {
  const chatChannelNumber = parameters?.chatChannelNumber;
  return chatChannelNumber !== undefined &&
    chatChannelNumber.length <= MAX_NAME_CHARACTERS &&
    numberOfChannel(chatChannelNumber) !== undefined
    ? { chatChannelNumber }
    : {};
};
