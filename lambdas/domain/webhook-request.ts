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
  const text = decodeUtf8(request.rawBody);
  if (text === undefined) return { kind: 'unreadable', reason: 'The body is not UTF-8.' };
  const json = z.parseJson(text);
  const push = z.safeParse(pubsubEnvelope, json);
  if (push.success) {
    const { data, messageId, publishTime } = push.data.message;
    const { deliveryId, publishedAt } = preferEnvelope(request, messageId, publishTime);
    const eventBody = decodeUtf8(Buffer.from(data, 'base64'));
    return eventBody === undefined
      ? { kind: 'unreadable', reason: 'The wrapped data is not UTF-8.', deliveryId }
      : { kind: 'opened', eventBody, publishedAt, deliveryId };
  }
  const sns = z.safeParse(snsNotification, json);
  if (sns.success) {
    const { Message, MessageId, Timestamp } = sns.data;
    return { kind: 'opened', eventBody: Message.toWellFormed(), ...preferEnvelope(request, MessageId, Timestamp) };
  }
  return { kind: 'opened', eventBody: text, publishedAt: request.publishedAt, deliveryId: request.deliveryId };
};

/** Metadata in the envelope takes precedence over metadata in the headers. */
const preferEnvelope = (request: VerifiedRequest, messageId: string | undefined, publishTime: unknown) => ({
  publishedAt: parseInstant(publishTime) ?? request.publishedAt,
  deliveryId: parseDeliveryId(messageId) ?? request.deliveryId,
});

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

const decodeUtf8 = (bytes: Buffer): string | undefined => {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
};

/**
 * SQS's message limit of 1 MiB, minus room for a reason and its attribute.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export const MAX_SERIALIZED_BYTES = 1024 * 1024 - 4096;

/**
 * Characters that JSON does not escape but SQS rejects. They are written as JSON escapes instead.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const REJECTED_BY_SQS = /[\ufffe\uffff]/g;

const escapeForSqs = (json: string): string =>
  json.replace(REJECTED_BY_SQS, (character) => `\\u${character.charCodeAt(0).toString(16)}`);

const serializedRequest = z.object({
  rawBody: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  deliveryId: z.optional(z.string()),
  publishedAt: z.optional(z.string()),
  receivedAt: z.string(),
  chatChannelNumber: z.optional(z.string()),
  reason: z.optional(z.string()),
});

/**
 * Serializes a request for the inbound queue and its dead-letter queue as JSON that an operator can read. The body's
 * bytes are preserved exactly: as text if they are UTF-8, otherwise as base64.
 *
 * @param reason why the request is quarantined
 */
export const serializeRequest = ({ rawBody, ...request }: VerifiedRequest, reason?: string): string => {
  const text = rawBody.toString('utf8');
  const isUtf8 = Buffer.from(text, 'utf8').equals(rawBody);
  return escapeForSqs(
    JSON.stringify({
      ...request,
      reason,
      encoding: isUtf8 ? 'utf8' : 'base64',
      rawBody: isUtf8 ? text : rawBody.toString('base64'),
    }),
  );
};

/** Parses what {@link serializeRequest} wrote. Returns undefined for anything else. */
export const parseSerializedRequest = (serialized: string): VerifiedRequest | undefined => {
  const parsed = z.safeParse(serializedRequest, z.parseJson(serialized));
  if (!parsed.success) return undefined;
  const { rawBody, encoding, deliveryId, publishedAt, receivedAt, chatChannelNumber } = parsed.data;
  return {
    rawBody: Buffer.from(rawBody, encoding),
    deliveryId,
    publishedAt,
    receivedAt,
    ...(chatChannelNumber !== undefined && { chatChannelNumber }),
  };
};
