import { decodeUtf8 } from './decode-utf8.ts';
import { type Instant, parseInstant } from './instant.ts';
import * as z from './schema.ts';
import type { Traceparent } from './trace-context.ts';

/**
 * The envelope of a request whose body is not the bare event: a Pub/Sub push (wrapped, or unwrapped to the bare event),
 * or an Amazon SNS notification. It follows from how the stage authenticates requests, and never from the body.
 */
export const ENVELOPES = ['pubsub', 'sns'] as const;
export type Envelope = (typeof ENVELOPES)[number];

/** An authenticated webhook request, with what is needed to process it again later. */
export interface VerifiedRequest {
  readonly rawBody: Buffer;
  /** @default none; the body is the event itself */
  readonly envelope?: Envelope;
  /** The publish/subscribe system's id of the delivered message. */
  readonly deliveryId?: string;
  /** When the publish/subscribe system accepted the event. */
  readonly publishedAt?: Instant;
  readonly receivedAt: Instant;
  /** The business number in the webhook's path. */
  readonly chatChannelNumber?: string;
  /** The trace of the request, if its headers name one. */
  readonly traceparent?: Traceparent;
  /** Whether `rawBody` is the event itself, because it was already removed from its envelope. */
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

/** Removes the event from its envelope. In an envelope of another kind, the body is the event itself. */
export const openEnvelope = (request: VerifiedRequest): OpenedEnvelope => {
  const { rawBody, publishedAt, deliveryId } = withoutEnvelope(request);
  const eventBody = decodeUtf8(rawBody);
  return eventBody === undefined
    ? { kind: 'unreadable', reason: 'The event is not UTF-8.', deliveryId }
    : { kind: 'opened', eventBody, publishedAt, deliveryId };
};

/** Returns the request with the event's bytes as its body, and with the metadata of the envelope. */
export const withoutEnvelope = (request: VerifiedRequest): VerifiedRequest & { readonly isEvent: true } => ({
  ...request,
  ...(!request.isEvent && contentOf(request)),
  envelope: undefined,
  isEvent: true,
});

/** The event in an envelope, with the metadata of the envelope, not of headers. */
type EnvelopeContent = Pick<VerifiedRequest, 'rawBody' | 'deliveryId' | 'publishedAt'>;

const contentOf = ({ envelope, rawBody }: VerifiedRequest): EnvelopeContent | undefined => {
  switch (envelope) {
    case undefined:
      return undefined;
    case 'pubsub': {
      const push = z.safeParse(pubsubEnvelope, parseBody(rawBody)).data?.message;
      return push && content(Buffer.from(push.data, 'base64'), push.messageId, push.publishTime);
    }
    case 'sns': {
      const sns = z.safeParse(snsNotification, parseBody(rawBody)).data;
      return sns && content(Buffer.from(sns.Message.toWellFormed()), sns.MessageId, sns.Timestamp);
    }
  }
};

const content = (rawBody: Buffer, messageId: string | undefined, publishTime: unknown): EnvelopeContent => ({
  rawBody,
  publishedAt: parseInstant(publishTime),
  deliveryId: parseDeliveryId(messageId),
});

const parseBody = (rawBody: Buffer): unknown => {
  const text = decodeUtf8(rawBody);
  return text === undefined ? undefined : z.parseJson(text);
};
