import { type ContactRef, contactRef, isPhone, type WindowPer } from './contact.ts';
import { type DeliveryTimes, type EventTime, eventTime } from './event-time.ts';
import type { Instant } from './instant.ts';
import { parseJson } from './parse-json.ts';
import * as z from './schema.ts';
import { REQUEST_ID } from './send-request.ts';

export interface Media {
  readonly images: readonly string[];
  readonly audios: readonly string[];
  readonly files: readonly string[];
  readonly videos: readonly string[];
}

interface EventContent {
  /** The chat service's `_id_` of the message. */
  readonly id: string;
  readonly text?: string;
  readonly media: Media;
  readonly time: EventTime;
  /** The event's JSON text as it came. */
  readonly body: string;
}

/** A user wrote: it is kept, and as a rule it opens the conversation window. */
export interface InboundMessage extends EventContent {
  readonly kind: 'message';
  readonly contact: ContactRef;
  /** False where windows are kept per business number and the event names none: it is kept, and opens no window. */
  readonly opensWindow: boolean;
  /** `FROM`, verbatim: what is answered to. */
  readonly address: string;
  readonly name?: string;
  readonly customerId?: string;
}

/** The bot's or an operator's own message come back (`FROM` is `me`): it is kept, and it opens no window. */
export interface Echo extends EventContent {
  readonly kind: 'echo';
  /** The user it was for, when the event says so. */
  readonly contact?: ContactRef;
}

/** What a status says of a message. `other` stands for a literal that we do not know. */
export type StatusKind = 'sent' | 'delivered' | 'read' | 'failed' | 'other';

/** A message's status changed. Two statuses of one message share the id. */
export interface StatusChange {
  readonly kind: 'status';
  readonly id: string;
  readonly status: StatusKind;
  /** `STATUS` as it came, in lower case. */
  readonly literal: string;
  readonly at: Instant;
  /** The request id that the send carried as its `clientPayload`, when it comes back. */
  readonly reference?: string;
  readonly body: string;
}

export type WebhookEvent = InboundMessage | Echo | StatusChange;

export type ReadEvent =
  | { readonly kind: 'event'; readonly event: WebhookEvent }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** DynamoDB takes 2,048 bytes of partition key; half of it leaves room for what stands around an id. */
const MAX_ID_BYTES = 1024;

/** An id that a sender may also write as a number. */
const identifier = z.pipe(
  z.union([z.string(), z.int()]),
  z.pipe(
    z.transform(String),
    z.string().check(
      z.minLength(1, 'is empty'),
      z.refine((id) => id.isWellFormed(), 'is not well-formed Unicode'),
      z.refine((id) => Buffer.byteLength(id) <= MAX_ID_BYTES, `is longer than ${MAX_ID_BYTES} bytes`),
    ),
  ),
);
/** A field that we can do without: whatever else stands in it counts as absent, and the body keeps it. */
const optionalText = z.catch(z.optional(z.string()), undefined);
const urls = z.catch(
  z.pipe(
    z.array(z.unknown()),
    z.transform((entries) => entries.filter((entry) => typeof entry === 'string').map((url) => url.toWellFormed())),
  ),
  [],
);

/** The fields that we act upon; the contract's tables "Inbound user message" and "Message status notification". */
const wireEvent = z.object({
  _id_: identifier,
  STATUS: z.nullish(z.string()),
  FROM: z.catch(z.nullish(identifier), undefined),
  TO: z.catch(z.optional(identifier), undefined),
  CHAT_PLATFORM_ID: optionalText,
  CHAT_CHANNEL_ID: z.catch(z.optional(identifier), undefined),
  CLIENT_PAYLOAD: z.catch(z.optional(z.string().check(z.regex(REQUEST_ID))), undefined),
  CREATION_TIME: z.optional(z.unknown()),
  FROM_NAME: optionalText,
  CUSTOMER_ID: optionalText,
  MESSAGE: optionalText,
  IMAGES_URLS: urls,
  AUDIOS_URLS: urls,
  FILES_URLS: urls,
  VIDEOS_URLS: urls,
});

export interface ReadEventContext {
  readonly times: DeliveryTimes;
  /** The platform of an event that names none. */
  readonly defaultPlatform: string;
  readonly windowPer: WindowPer;
  /** The business number that the webhook's path named. */
  readonly chatChannelNumber?: string;
}

/**
 * Reads an event tolerantly: `_id_` is required, and for a message `FROM`; unknown fields stay in the body.
 *
 * @param body the event's JSON text, already unwrapped and verified
 */
export const readEvent = (body: string, context: ReadEventContext): ReadEvent => {
  const json = parseJson(body);
  if (json === undefined) return unreadable('The body is not JSON.');
  const read = z.safeParse(wireEvent, json);
  if (!read.success) return unreadable(`No event that we know: ${explain(read.error)}.`);
  const wire = read.data;
  const time = eventTime(wire.CREATION_TIME, context.times);
  if (wire.STATUS) {
    const literal = wire.STATUS.toLowerCase().toWellFormed();
    const reference = wire.CLIENT_PAYLOAD;
    const status = { kind: 'status' as const, id: wire._id_, status: statusKind(literal), literal, at: time.at, body };
    return event({ ...status, ...(reference && { reference }) });
  }
  if (!wire.FROM) return unreadable('No event that we know: it has neither STATUS nor FROM.');
  const platform = wire.CHAT_PLATFORM_ID?.toWellFormed() || context.defaultPlatform;
  const content = {
    id: wire._id_,
    text: wire.MESSAGE?.toWellFormed(),
    media: { images: wire.IMAGES_URLS, audios: wire.AUDIOS_URLS, files: wire.FILES_URLS, videos: wire.VIDEOS_URLS },
    time,
    body,
  };
  if (wire.FROM.toLowerCase() === 'me') {
    // An echo's TO is the user.
    const channel = businessNumber(context, wire.CHAT_CHANNEL_ID);
    return event({ kind: 'echo', ...content, ...(wire.TO && { contact: contactRef(platform, wire.TO, channel) }) });
  }
  const channel = businessNumber(context, wire.CHAT_CHANNEL_ID, wire.TO);
  return event({
    kind: 'message',
    ...content,
    contact: contactRef(platform, wire.FROM, channel),
    opensWindow: context.windowPer === 'user' || channel !== undefined,
    address: wire.FROM,
    name: wire.FROM_NAME?.toWellFormed(),
    customerId: wire.CUSTOMER_ID?.toWellFormed(),
  });
};

/** The business number of an event, where that counts: the webhook's path before the event's own fields. */
const businessNumber = (
  { windowPer, chatChannelNumber }: ReadEventContext,
  ...fields: readonly (string | undefined)[]
): string | undefined =>
  windowPer === 'user'
    ? undefined
    : [chatChannelNumber, ...fields].find((number) => number !== undefined && isPhone(number));

const event = (read: WebhookEvent): ReadEvent => ({ kind: 'event', event: read });
const unreadable = (reason: string): ReadEvent => ({ kind: 'unreadable', reason });

const explain = (error: z.core.$ZodError): string =>
  error.issues.map((issue) => `${issue.path.join('.') || 'the body'} ${issue.message}`).join('; ');

/** Literals seen in practice, in either case; the contract leaves them "not shown". */
const statusKind = (literal: string): StatusKind => {
  switch (literal) {
    case 'sent':
    case 'delivered':
    case 'read':
    case 'failed':
      return literal;
    case 'error':
      return 'failed';
    default:
      return 'other';
  }
};
