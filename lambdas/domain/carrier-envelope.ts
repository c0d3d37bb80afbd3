import { type Instant, readInstant } from './instant.ts';
import { parseJson } from './parse-json.ts';
import * as z from './schema.ts';
import { readCarrierMessageId, type VerifiedPost } from './verified-post.ts';

/** The event that a post carries, and when the carrier took it in. */
export type OpenedEnvelope =
  | {
      readonly kind: 'opened';
      readonly eventBody: string;
      readonly publishedAt?: Instant;
      readonly carrierMessageId?: string;
    }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly carrierMessageId?: string };

/**
 * The wrapped form of a Pub/Sub push.
 * Source: https://cloud.google.com/pubsub/docs/push#receive_push
 */
const wrapped = z.object({
  message: z.object({
    data: z.string(),
    messageId: z.catch(z.optional(z.string()), undefined),
    publishTime: z.optional(z.unknown()),
  }),
});

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A message of Amazon SNS.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
 */
const notification = z.object({
  Type: z.literal('Notification'),
  TopicArn: z.string(),
  Message: z.string(),
  MessageId: z.string(),
  Timestamp: z.optional(z.unknown()),
});

/** Takes the event out of the carrier's envelope; a body without one is the event itself. */
export const openEnvelope = (post: VerifiedPost): OpenedEnvelope => {
  const text = decode(post.rawBody);
  if (text === undefined) return { kind: 'unreadable', reason: 'The body is not UTF-8.' };
  const json = parseJson(text);
  const push = z.safeParse(wrapped, json);
  if (push.success) {
    const { data, messageId, publishTime } = push.data.message;
    const { carrierMessageId, publishedAt } = ofCarrier(post, messageId, publishTime);
    const eventBody = decode(Buffer.from(data, 'base64'));
    return eventBody === undefined
      ? { kind: 'unreadable', reason: 'The wrapped data is not UTF-8.', carrierMessageId }
      : { kind: 'opened', eventBody, publishedAt, carrierMessageId };
  }
  const sns = z.safeParse(notification, json);
  if (sns.success) {
    const { Message, MessageId, Timestamp } = sns.data;
    return { kind: 'opened', eventBody: Message.toWellFormed(), ...ofCarrier(post, MessageId, Timestamp) };
  }
  return { kind: 'opened', eventBody: text, publishedAt: post.publishedAt, carrierMessageId: post.carrierMessageId };
};

/** The carrier's word on a message in its envelope comes before that in the post's headers. */
const ofCarrier = (post: VerifiedPost, messageId: string | undefined, publishTime: unknown) => ({
  publishedAt: readInstant(publishTime) ?? post.publishedAt,
  carrierMessageId: readCarrierMessageId(messageId) ?? post.carrierMessageId,
});

const decode = (bytes: Buffer): string | undefined => {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
};
