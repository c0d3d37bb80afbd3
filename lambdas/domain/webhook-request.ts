import { type Instant, parseInstant } from './instant.ts';
import * as z from './schema.ts';

/** An authenticated webhook request, with what is needed to process it again later. */
export interface VerifiedRequest {
  readonly rawBody: Buffer;
  /** The publish/subscribe system's id of the delivered message. */
  readonly deliveryId?: string;
  /** When the publish/subscribe system accepted the event. */
  readonly publishedAt?: Instant;
  readonly receivedAt: Instant;
  /** The business number in the webhook's path. */
  readonly chatChannelNumber?: string;
  /** Whether `rawBody` is the event itself: it was already removed from its envelope, or it never had one. */
  readonly isEvent?: true;
}

/** Returns the id if it is at most 128 printable ASCII characters, so that it always fits into an SQS message. */
export const parseDeliveryId = (value: string | undefined): string | undefined =>
  value !== undefined && /^[\x20-\x7e]{1,128}$/.test(value) ? value : undefined;

/** The result of removing an event from its envelope. */
export type OpenedEnvelope =
  | {
      readonly kind: 'opened';
      readonly eventBody: string;
      readonly publishedAt?: Instant;
      readonly deliveryId?: string;
    }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly deliveryId?: string };

/**
 * The wrapped form of a Pub/Sub push.
 * Source: https://cloud.google.com/pubsub/docs/push#receive_push
 */
const pubsubEnvelope = z.object({
  message: z.object({
    data: z.string(),
    messageId: z.catch(z.optional(z.string()), undefined),
    publishTime: z.optional(z.unknown()),
  }),
});

/**
 * An Amazon SNS notification.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
 */
const snsNotification = z.object({
  Type: z.literal('Notification'),
  TopicArn: z.string(),
  Message: z.string(),
  MessageId: z.string(),
  Timestamp: z.optional(z.unknown()),
});

/** Removes the event from the publish/subscribe system's envelope. A body without an envelope is the event itself. */
export const openEnvelope = (request: VerifiedRequest): OpenedEnvelope => {
  const { rawBody, publishedAt, deliveryId } = withoutEnvelope(request);
  const eventBody = decodeUtf8(rawBody);
  return eventBody === undefined
    ? { kind: 'unreadable', reason: 'The event is not UTF-8.', deliveryId }
    : { kind: 'opened', eventBody, publishedAt, deliveryId };
};

/** Returns the request with the event's bytes as its body, and with the metadata of the envelope. */
export const withoutEnvelope = (request: VerifiedRequest): VerifiedRequest & { readonly isEvent: true } => {
  if (request.isEvent) return { ...request, isEvent: true };
  const text = decodeUtf8(request.rawBody);
  const json = text === undefined ? undefined : z.parseJson(text);
  const push = z.safeParse(pubsubEnvelope, json);
  if (push.success) {
    const { data, messageId, publishTime } = push.data.message;
    const metadata = preferEnvelope(request, messageId, publishTime);
    return { ...request, ...metadata, rawBody: Buffer.from(data, 'base64'), isEvent: true };
  }
  const sns = z.safeParse(snsNotification, json);
  if (sns.success) {
    const { Message, MessageId, Timestamp } = sns.data;
    const metadata = preferEnvelope(request, MessageId, Timestamp);
    return { ...request, ...metadata, rawBody: Buffer.from(Message.toWellFormed()), isEvent: true };
  }
  return { ...request, isEvent: true };
};

/** Metadata in the envelope takes precedence over metadata in the headers. */
const preferEnvelope = (request: VerifiedRequest, messageId: string | undefined, publishTime: unknown) => ({
  publishedAt: parseInstant(publishTime) ?? request.publishedAt,
  deliveryId: parseDeliveryId(messageId) ?? request.deliveryId,
});

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns undefined for bytes that are not UTF-8. */
const decodeUtf8 = (bytes: Buffer): string | undefined => {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
};
