import { numberOfChannel } from '../domain/contact.ts';
import { parseInstant } from '../domain/instant.ts';
import { parseTraceparent, TRACEPARENT } from '../domain/trace-context.ts';
import { type DeliveryFormat, PUBSUB_MESSAGE_ID, PUBSUB_PUBLISH_TIME } from '../domain/webhook-auth.ts';
import { parseDeliveryId, type VerifiedRequest } from '../domain/webhook-request.ts';
import type { HttpHeaders, Log, Metrics, UnverifiedRequest, Verdict, WebhookVerifier } from '../ports.ts';

export interface VerifyRequestOptions {
  readonly verifier: WebhookVerifier;
  readonly format: DeliveryFormat;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A webhook request before it is verified, with the last segment of its path. */
export interface PostedRequest extends UnverifiedRequest {
  readonly chatChannelNumber?: string | undefined;
}

export type Verification =
  | { readonly kind: 'authentic'; readonly request: VerifiedRequest }
  /** The request is about the delivery itself. Nothing more is to be done. */
  | { readonly kind: 'handled' }
  | Extract<Verdict, { kind: 'unauthenticated' | 'unavailable' }>;

export type VerifyRequest = (request: PostedRequest) => Promise<Verification>;

/** Creates the function that verifies the raw bytes of a request, and then reads its metadata. */
export const createVerifyRequest =
  ({ verifier, format, log, metrics }: VerifyRequestOptions): VerifyRequest =>
  async ({ headers, unverifiedBody, receivedAt, chatChannelNumber }) => {
    const verdict = await verifier.verify({ headers, unverifiedBody, receivedAt });
    switch (verdict.kind) {
      case 'authentic': {
        const { payload = unverifiedBody, deliveryId } = verdict;
        const traceparent = parseTraceparent(headers[TRACEPARENT]);
        const request: VerifiedRequest = {
          rawBody: payload,
          ...(format.envelope && { envelope: format.envelope }),
          ...(format.readsPubsubHeaders && pubsubMetadata(headers)),
          ...(deliveryId !== undefined && { deliveryId: parseDeliveryId(deliveryId) }),
          ...businessNumber(chatChannelNumber),
          ...(traceparent && { traceparent }),
          receivedAt,
        };
        return { kind: 'authentic', request };
      }
      case 'handshake':
        metrics.count('WebhookHandshake');
        log.info('handshake completed', { reason: verdict.reason });
        return { kind: 'handled' };
      case 'unsubscribed':
        metrics.count('WebhookUnsubscribed');
        log.error('webhook unsubscribed', { reason: verdict.reason });
        return { kind: 'handled' };
      case 'unauthenticated':
      case 'unavailable':
        return verdict;
    }
  };

/** Reads the metadata of a Pub/Sub push that was configured to write it into headers. */
const pubsubMetadata = (headers: HttpHeaders) => ({
  deliveryId: parseDeliveryId(headers[PUBSUB_MESSAGE_ID]),
  publishedAt: parseInstant(headers[PUBSUB_PUBLISH_TIME]),
});

const MAX_NAME_CHARACTERS = 64;

/** Ignores a path segment that names no phone number. The event's own fields may still name one. */
const businessNumber = (chatChannelNumber: string | undefined): Pick<VerifiedRequest, 'chatChannelNumber'> =>
  chatChannelNumber !== undefined &&
  chatChannelNumber.length <= MAX_NAME_CHARACTERS &&
  numberOfChannel(chatChannelNumber) !== undefined
    ? { chatChannelNumber }
    : {};
