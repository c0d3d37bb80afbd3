import { type Instant, toInstant } from './instant.ts';
import { TRACEPARENT } from './trace-context.ts';

/**
 * A webhook request that API Gateway put on the inbound queue itself. It is not verified: anyone on the internet can
 * have sent it.
 */
export interface BufferedRequest {
  readonly unverifiedBody: Buffer;
  /** The headers that verification and tracing need, with lowercase names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The last segment of the webhook's path. */
  readonly chatChannelNumber?: string;
  /** API Gateway's id of the request. */
  readonly requestId: string;
  /** When API Gateway received the request. */
  readonly receivedAt: Instant;
}

/** The values of a {@link bufferedText}. All are base64 in its standard alphabet, except the time. */
export interface BufferedValues {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: string;
  readonly chatChannelNumber: string;
  /** Any number of {@link bufferedHeader}, one after another. */
  readonly headers: string;
  readonly body: string;
}

/** No other message on the inbound queue begins like this, so a buffered request is never taken for a verified one. */
const PREFIX = '{"form":"buffered-1",';
const BODY_KEY = '"body":"';
const END = '"}';

/**
 * Writes a buffered request as one JSON object. The body is last: even if it were not base64, everything behind its name
 * would be the body, so no body can add or replace a field.
 *
 * @param literal how to write the text between the values. @default as it is
 */
export const bufferedText = (
  { requestId, receivedAtMs, chatChannelNumber, headers, body }: BufferedValues,
  literal: (text: string) => string = (text) => text,
): string =>
  [
    literal(`${PREFIX}"requestId":"`),
    requestId,
    literal('","receivedAtMs":"'),
    receivedAtMs,
    literal('","chatChannelNumber":"'),
    chatChannelNumber,
    literal('","headers":[null'),
    headers,
    literal(`],${BODY_KEY}`),
    body,
    literal(END),
  ].join('');

/** Writes one header of a {@link bufferedText}. A header with several lines has several entries. */
export const bufferedHeader = (
  name: string,
  value: string,
  literal: (text: string) => string = (text) => text,
): string => [literal(`,["${name}","`), value, literal('"]')].join('');

/** Whether a queue message is a buffered request, which is never to be trusted unverified. */
export const isBuffered = (text: string): boolean => text.startsWith(PREFIX);

const BASE64 = '[A-Za-z0-9+/]*={0,2}';
const HEADER = `,\\["([a-z0-9-]+)","(${BASE64})"\\]`;

/** Everything before the body, with nothing but base64 between the literals. */
const METADATA = new RegExp(
  `^\\${PREFIX}"requestId":"(${BASE64})","receivedAtMs":"(\\d{13})","chatChannelNumber":"(${BASE64})",` +
    `"headers":\\[null((?:${HEADER})*)\\],${BODY_KEY}`,
);

/** Parses what {@link bufferedText} wrote. Returns undefined for anything else. */
export const parseBufferedRequest = (text: string): BufferedRequest | undefined => {
  const [metadata, requestId = '', receivedAtMs, number = '', headers = ''] = METADATA.exec(text) ?? [];
  if (metadata === undefined || !text.endsWith(END)) return undefined;
  const chatChannelNumber = decodePathSegment(decodeText(number));
  return {
    unverifiedBody: decodeBody(text.slice(metadata.length, -END.length)),
    headers: parseHeaders(headers),
    ...(chatChannelNumber !== '' && { chatChannelNumber }),
    requestId: decodeText(requestId),
    receivedAt: toInstant(new Date(Number(receivedAtMs))),
  };
};

const MASK = Buffer.from('***').toString('base64');

/** Headers that authenticate nothing: the trace, and what Pub/Sub says about a message. */
const isHarmless = (name: string): boolean => name === TRACEPARENT || name.startsWith('x-goog-pubsub-');

/** Masks the credentials in a buffered request, also inside another message. It can then no longer be verified. */
export const withoutCredentials = (text: string): string =>
  text.includes(PREFIX)
    ? text.replace(new RegExp(HEADER, 'g'), (entry, name: string) =>
        isHarmless(name) ? entry : bufferedHeader(name, MASK),
      )
    : text;

/** API Gateway joins the lines of a header with commas for functions, so a verifier sees the same with either ingress. */
const parseHeaders = (text: string): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(new RegExp(HEADER, 'g'))) {
    const earlier = headers[name];
    headers[name] = earlier === undefined ? decodeText(value) : `${earlier},${decodeText(value)}`;
  }
  return headers;
};

const decodeText = (value: string): string => Buffer.from(value, 'base64').toString('utf8');

/**
 * API Gateway writes the body as base64. If it did not convert a body, because it took it for text, the text itself is
 * the body. No JSON object is valid base64.
 */
const decodeBody = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : Buffer.from(value);
};

/** AWS does not document whether a mapping template gets a path segment decoded. */
const decodePathSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
