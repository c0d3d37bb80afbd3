import type { Instant } from './instant.ts';
import { parseJson } from './parse-json.ts';
import * as z from './schema.ts';

/** A post as it came, once it is known to be the carrier's, with what is needed to read it again later. */
export interface VerifiedPost {
  readonly rawBody: Buffer;
  readonly carrierMessageId?: string;
  readonly publishedAt?: Instant;
  readonly receivedAt: Instant;
  /** The business number that the webhook's path named. */
  readonly chatChannelNumber?: string;
}

/** A carrier's id of a message; undefined for what is none, so that it always has room in a queue's message. */
export const readCarrierMessageId = (value: string | undefined): string | undefined =>
  value !== undefined && /^[\x20-\x7e]{1,128}$/.test(value) ? value : undefined;

/**
 * The bytes that an SQS message may have; the room for a reason and its attribute is taken off.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export const MAX_ENCODED_BYTES = 1024 * 1024 - 4096;

/**
 * What SQS refuses in a message, of what JSON leaves as it is; JSON has another way to write it.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const TO_ESCAPE = /[\ufffe\uffff]/g;

const escapeForSqs = (json: string): string =>
  json.replace(TO_ESCAPE, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);

const wirePost = z.object({
  rawBody: z.string(),
  encoding: z.enum(['utf8', 'base64']),
  carrierMessageId: z.optional(z.string()),
  publishedAt: z.optional(z.string()),
  receivedAt: z.string(),
  chatChannelNumber: z.optional(z.string()),
  reason: z.optional(z.string()),
});

/**
 * Writes a post as the inbound queue and its dead-letter queue carry it: JSON that a person can read, the body's bytes
 * kept exactly (as text where they are UTF-8, else as base64).
 *
 * @param reason why it stands in the dead-letter queue
 */
export const encodePost = ({ rawBody, ...post }: VerifiedPost, reason?: string): string => {
  const text = rawBody.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(rawBody);
  return escapeForSqs(
    JSON.stringify({
      ...post,
      reason,
      encoding: isText ? 'utf8' : 'base64',
      rawBody: isText ? text : rawBody.toString('base64'),
    }),
  );
};

/** Reads what {@link encodePost} wrote; undefined for anything else. */
export const decodePost = (encoded: string): VerifiedPost | undefined => {
  const read = z.safeParse(wirePost, parseJson(encoded));
  if (!read.success) return undefined;
  const { rawBody, encoding, carrierMessageId, publishedAt, receivedAt, chatChannelNumber } = read.data;
  return {
    rawBody: Buffer.from(rawBody, encoding),
    carrierMessageId,
    publishedAt,
    receivedAt,
    ...(chatChannelNumber !== undefined && { chatChannelNumber }),
  };
};
