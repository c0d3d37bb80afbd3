import { type Instant, readInstant } from './instant.ts';
import { parseJson } from './parse-json.ts';
import * as z from './schema.ts';
import type { VerifiedPost } from './verified-post.ts';

/** The event that a post carries, and when the carrier took it in. */
export type OpenedEnvelope =
  | {
      readonly kind: 'opened';
      readonly eventBody: string;
      readonly publishedAt?: Instant;
      readonly carrierMessageId?: string;
    }
  | { readonly kind: 'unreadable'; readonly reason: string };

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

/** Takes the event out of the carrier's envelope; a body without one is the event itself. */
export const openEnvelope = (post: VerifiedPost): OpenedEnvelope => {
  const text = decode(post.rawBody);
  if (text === undefined) return { kind: 'unreadable', reason: 'The body is not UTF-8.' };
  const envelope = z.safeParse(wrapped, parseJson(text));
  if (!envelope.success) {
    return { kind: 'opened', eventBody: text, publishedAt: post.publishedAt, carrierMessageId: post.carrierMessageId };
  }
  const { data, messageId, publishTime } = envelope.data.message;
  const eventBody = decode(Buffer.from(data, 'base64'));
  if (eventBody === undefined) return { kind: 'unreadable', reason: 'The wrapped data is not UTF-8.' };
  return {
    kind: 'opened',
    eventBody,
    publishedAt: readInstant(publishTime) ?? post.publishedAt,
    carrierMessageId: messageId ?? post.carrierMessageId,
  };
};

const decode = (bytes: Buffer): string | undefined => {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
};
