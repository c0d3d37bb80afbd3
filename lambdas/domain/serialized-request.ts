import { type BufferedRequest, isBuffered, parseBufferedRequest } from './buffered-request.ts';
import { isRejectedBySqs, queueJson } from './queue-json.ts';
import * as z from './schema.ts';
import { parseTraceparent } from './trace-context.ts';
import { ENVELOPES, type Envelope, type VerifiedRequest, withoutEnvelope } from './webhook-request.ts';

/**
 * The largest message that SQS accepts, attributes included.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * A body of this size always fits into a message that API Gateway writes, whatever its headers and path: they have
 * at most 10,240 bytes, and base64 makes everything a third longer.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
export const MAX_BUFFERED_BODY_BYTES = ((MAX_MESSAGE_BYTES - 16 * 1024) / 4) * 3;

/** A reason is written twice, in the message and as its attribute, and has at most 500 characters of three bytes. */
const REASON_BYTES = 2048;

/**
 * An event of this size is never refused, whatever its content, if it is JSON in UTF-8 without U+FFFE and U+FFFF. The
 * difference from 1 MiB is for the metadata: reason, times, delivery id, business number, and trace.
 */
export const MAX_EVENT_BYTES = MAX_MESSAGE_BYTES - 2 * REASON_BYTES - 1024;

const ENCODINGS = [
  /** The body is JSON and is written as it is, so that it does not grow. */
  'json',
  /** The body is other text, written as a JSON string. */
  'utf8',
  'base64',
  /** The body is compressed (RFC 1951) and written as base64. */
  'deflate',
] as const;

type Encoding = (typeof ENCODINGS)[number];

const serializedRequest = z.object({
  deliveryId: z.optional(z.string()),
  publishedAt: z.optional(z.string()),
  receivedAt: z.string(),
  chatChannelNumber: z.optional(z.string()),
  traceparent: z.optional(z.string()),
  envelope: z.optional(z.enum(ENVELOPES)),
  isEvent: z.optional(z.literal(true)),
  reason: z.optional(z.string()),
  encoding: z.enum(ENCODINGS),
  rawBody: z.unknown(),
});

/** Even if JSON needs six characters for each of its bytes, a body of this size fits into a message. */
const ALWAYS_FITS_BYTES = Math.floor(MAX_EVENT_BYTES / 6);

/** Whether the inbound queue and its dead-letter queue can take the request. */
export const fitsQueue = (request: VerifiedRequest): boolean =>
  request.rawBody.byteLength <= ALWAYS_FITS_BYTES || serializeRequest(request) !== undefined;

/**
 * Serializes a request for the inbound queue and its dead-letter queue as JSON that an operator can read. The body's
 * bytes are preserved exactly. A request that does not fit is written without its envelope, and if the event does not
 * fit either, compressed. Returns undefined if even that is too large.
 *
 * @param reason why the request is quarantined; it always fits if the request fits without it
 */
export const serializeRequest = (request: VerifiedRequest, reason?: string): string | undefined => {
  const maxBytes = MAX_MESSAGE_BYTES - (reason === undefined ? 2 : 1) * REASON_BYTES;
  const fits = (serialized: string | undefined) =>
    serialized !== undefined && Buffer.byteLength(serialized) <= maxBytes ? serialized : undefined;
  const plain = (written: VerifiedRequest) =>
    written.rawBody.byteLength > maxBytes ? undefined : fits(writePlain(written, reason));
  const event = withoutEnvelope(request);
  return (
    plain(request) ?? plain(event) ?? fits(write(event, reason, 'deflate', JSON.stringify(deflate(event.rawBody))))
  );
};

const writePlain = (request: VerifiedRequest, reason: string | undefined): string => {
  const { rawBody } = request;
  const text = rawBody.toString('utf8');
  if (!Buffer.from(text).equals(rawBody)) return write(request, reason, 'base64', `"${rawBody.toString('base64')}"`);
  return z.parseJson(text) === undefined || isRejectedBySqs(text)
    ? write(request, reason, 'utf8', queueJson(text))
    : write(request, reason, 'json', text);
};

/** Writes the body last, where {@link readVerbatim} finds it. */
const write = (
  { deliveryId, publishedAt, receivedAt, chatChannelNumber, traceparent, envelope, isEvent }: VerifiedRequest,
  reason: string | undefined,
  encoding: Encoding,
  body: string,
): string => {
  const times = { publishedAt, receivedAt };
  const metadata = { reason, deliveryId, ...times, chatChannelNumber, traceparent, envelope, isEvent, encoding };
  return `${queueJson(metadata).slice(0, -1)},${BODY_KEY}${body}}`;
};

const BODY_KEY = '"rawBody":';

/**
 * Parses what {@link serializeRequest} wrote. Returns undefined for anything else.
 *
 * @param unmarked the stage's envelope, for a request that names none. A stage that expects bare events names none,
 *   which may be the misconfiguration that caused the quarantine.
 */
export const parseSerializedRequest = (serialized: string, unmarked?: Envelope): VerifiedRequest | undefined => {
  // Nobody has verified it.
  if (isBuffered(serialized)) return undefined;
  const parsed = z.safeParse(serializedRequest, z.parseJson(serialized));
  if (!parsed.success) return undefined;
  const { encoding, deliveryId, publishedAt, receivedAt, chatChannelNumber, isEvent } = parsed.data;
  const traceparent = parseTraceparent(parsed.data.traceparent);
  const envelope = parsed.data.envelope ?? unmarked;
  const rawBody = readBody(serialized, encoding, parsed.data.rawBody);
  return (
    rawBody && {
      rawBody,
      deliveryId,
      publishedAt,
      receivedAt,
      ...(chatChannelNumber !== undefined && { chatChannelNumber }),
      ...(traceparent && { traceparent }),
      ...(isEvent ? { isEvent } : envelope && { envelope }),
    }
  );
};

/** Parses a buffered request, also one that was quarantined as a message of unknown origin. */
export const readBufferedRequest = (
  message: string,
  verified: VerifiedRequest | undefined = parseSerializedRequest(message),
): BufferedRequest | undefined => parseBufferedRequest(verified?.rawBody.toString('utf8') ?? message);

const readBody = (serialized: string, encoding: Encoding, body: unknown): Buffer | undefined => {
  if (encoding === 'json') return body === undefined ? undefined : Buffer.from(readVerbatim(serialized, body));
  if (typeof body !== 'string') return undefined;
  return encoding === 'deflate' ? inflate(Buffer.from(body, 'base64')) : Buffer.from(body, encoding);
};

/** Returns the body's own text: parsing and serializing it again would change numbers, spaces, and repeated names. */
const readVerbatim = (serialized: string, body: unknown): string => {
  // Quotation marks in the metadata are escaped, so the first match is the name of the field.
  const text = serialized.slice(serialized.indexOf(BODY_KEY) + BODY_KEY.length, serialized.lastIndexOf('}'));
  // An operator's tool may have reordered the fields.
  return z.parseJson(text) === undefined ? JSON.stringify(body) : text;
};

/** Loaded on first use, which is rare, because it would add to every cold start. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** The fastest level, because the events are almost a megabyte, and a webhook request waits for it. */
const deflate = (bytes: Buffer): string => {
  const { deflateRawSync, constants } = zlib();
  return deflateRawSync(bytes, { level: constants.Z_BEST_SPEED }).toString('base64');
};

/**
 * More than a webhook request can have: Lambda accepts up to 6 MB.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_INFLATED_BYTES = 16 * 1024 * 1024;

const inflate = (bytes: Buffer): Buffer | undefined => {
  try {
    return zlib().inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch {
    return undefined;
  }
};
