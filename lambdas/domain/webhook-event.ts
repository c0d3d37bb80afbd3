import {
  type ContactRef,
  type CustomerRef,
  contactRef,
  type DataSubject,
  isPhone,
  numberOfChannel,
  type WindowPer,
} from './contact.ts';
import { hasContent } from './event-content.ts';
import { type Instant, parseInstant } from './instant.ts';
import * as z from './schema.ts';
import { REQUEST_ID } from './send-request.ts';
import { startTrace, type Traceparent } from './trace-context.ts';

/** An event's time, and where it comes from. */
export interface EventTime {
  readonly at: Instant;
  readonly source: 'event' | 'publish-time' | 'arrival';
  /** The event's own time if it is later than `at`, because the chat service's clock is ahead. */
  readonly own?: Instant;
}

/** When the publish/subscribe system accepted the event, if it says so, and when the event reached Parley. */
export interface DeliveryTimes {
  readonly publishedAt?: Instant;
  readonly receivedAt: Instant;
}

interface EventBase {
  /** The chat service's `_id_` of the message. */
  readonly id: string;
  readonly time: EventTime;
  /** The event's JSON exactly as received. */
  readonly body: string;
  /** The trace that the event belongs to. */
  readonly traceparent: Traceparent;
  /** The event is a status that also carries this message. An event that is only the message takes precedence. */
  readonly isFromStatus?: true;
}

/** A message that a user wrote. */
export interface InboundMessage extends EventBase {
  readonly kind: 'message';
  readonly contact: ContactRef;
  /** False if windows are per business number and the event names none: the message is then only stored. */
  readonly opensWindow: boolean;
  /** `FROM`, verbatim: the address that replies are sent to. */
  readonly address: string;
  /** The business number that the user wrote to, in international format, if windows are per number. */
  readonly chatChannelNumber?: string;
  readonly name?: string;
  readonly customerId?: string;
}

/** A message from a bot or an operator, which the chat service reports back (`FROM` is `me`). It opens no window. */
export interface Echo extends EventBase {
  readonly kind: 'echo';
  /** The user it was sent to, if the event names one. */
  readonly contact?: ContactRef;
  /** The user if the event names no address, so that an erasure finds it. */
  readonly customer?: CustomerRef;
}

/** What a status notification says about a message. `other` stands for a `STATUS` value Parley does not know. */
export type StatusKind = 'sent' | 'delivered' | 'read' | 'failed' | 'other';

/** A status notification. Two statuses of one message share its id. */
export interface StatusChange extends EventBase {
  readonly kind: 'status';
  readonly status: StatusKind;
  /** `STATUS` as received, in lower case. */
  readonly literal: string;
  /** The user, so that an erasure finds the status of a message that never arrives. */
  readonly subject?: DataSubject;
  /** The request id that the send carried as `clientPayload`, if the chat service returns it. */
  readonly requestId?: string;
  /** The message that the event carries in addition to its status. */
  readonly message?: InboundMessage | Echo;
}

export type WebhookEvent = InboundMessage | Echo | StatusChange;

export type ParsedEvent =
  | { readonly kind: 'event'; readonly event: WebhookEvent }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * A status shares its message's item: whatever their order, the message must fit in as well, and there can be many
 * statuses.
 */
export const MAX_STATUS_BYTES = 16 * 1024;

/** An id, which some senders write as a number. */
const identifier = z.pipe(
  z.union([z.string(), z.int()]),
  z.pipe(
    z.transform(String),
    z.string().check(
      z.minLength(1, 'is empty'),
      z.refine((id) => id.isWellFormed(), 'is not well-formed Unicode'),
      z.refine((id) => Buffer.byteLength(id) <= z.MAX_ID_BYTES, `is longer than ${z.MAX_ID_BYTES} bytes`),
    ),
  ),
);
/** A field that Parley can do without: a value of another type counts as absent, and stays in the stored body. */
const optionalString = z.catch(z.optional(z.string()), undefined);

/** The fields that Parley uses, from the contract's tables "Inbound user message" and "Message status notification". */
const wireEvent = z.object({
  _id_: identifier,
  STATUS: z.nullish(z.string()),
  FROM: z.catch(z.nullish(identifier), undefined),
  TO: z.catch(z.optional(identifier), undefined),
  CHAT_PLATFORM_ID: optionalString,
  CHAT_CHANNEL_ID: z.catch(z.optional(identifier), undefined),
  CLIENT_PAYLOAD: z.catch(z.optional(z.string().check(z.regex(REQUEST_ID))), undefined),
  CREATION_TIME: z.optional(z.unknown()),
  FROM_NAME: optionalString,
  CUSTOMER_ID: optionalString,
});

export interface ParseEventContext {
  readonly times: DeliveryTimes;
  /** The platform of an event that names none. */
  readonly chatPlatform: string;
  readonly windowPer: WindowPer;
  /** The business number in the webhook's path. */
  readonly chatChannelNumber?: string;
  /** The trace of the webhook request. @default a trace that starts with the event */
  readonly traceparent?: Traceparent;
}

/**
 * Parses an event tolerantly: only `_id_` is required and, for a message, `FROM`. Unknown fields stay in the body.
 *
 * @param body the event's JSON, already verified and removed from its envelope
 */
export const parseEvent = (body: string, context: ParseEventContext): ParsedEvent => {
  const json = z.parseJson(body);
  if (json === undefined) return unreadable('The body is not JSON.');
  const parsed = z.safeParse(wireEvent, json);
  if (!parsed.success) return unreadable(`Not a known event: ${z.describeIssues(parsed.error, 'the body')}.`);
  const wire = parsed.data;
  const { times, traceparent = startTrace('message', wire._id_) } = context;
  const base = { id: wire._id_, time: eventTime(wire.CREATION_TIME, times), body, traceparent };
  const platform = wire.CHAT_PLATFORM_ID?.toWellFormed() || context.chatPlatform;
  const customer = customerOf(platform, wire.CUSTOMER_ID);
  if (!wire.STATUS) {
    const message = messageOf(wire, base, context, { platform, customer });
    return message ? event(message) : unreadable('Not a known event: it has neither STATUS nor FROM.');
  }
  const literal = wire.STATUS.toLowerCase().toWellFormed();
  const status = statusKind(literal);
  const requestId = wire.CLIENT_PAYLOAD;
  const address = wire.FROM?.toLowerCase() === 'me' ? wire.TO : wire.FROM;
  const channel = businessNumber(context, wire.CHAT_CHANNEL_ID);
  const subject = address ? contactRef(platform, address, channel) : customer;
  const message = hasContent(body)
    ? messageOf(wire, { ...base, isFromStatus: true }, context, { platform, customer, status })
    : undefined;
  return event({
    kind: 'status',
    ...base,
    status,
    literal,
    ...(subject && { subject }),
    ...(requestId && { requestId }),
    ...(message && { message }),
  });
};

/** What else is known of the message of an event. */
interface MessageOrigin {
  readonly platform: string;
  readonly customer: CustomerRef | undefined;
  /** The status that the event carries in addition to the message, if any. */
  readonly status?: StatusKind;
}

/**
 * Returns the message of an event: an echo if the business sent it, otherwise a user's message. Returns undefined if
 * the event does not say whose it is.
 */
const messageOf = (
  wire: z.output<typeof wireEvent>,
  base: EventBase,
  context: ParseEventContext,
  { platform, customer, status }: MessageOrigin,
): InboundMessage | Echo | undefined => {
  if (!wire.FROM) return undefined;
  if (wire.FROM.toLowerCase() === 'me') {
    // In an echo, TO is the user.
    const channel = businessNumber(context, wire.CHAT_CHANNEL_ID);
    const user = wire.TO ? { contact: contactRef(platform, wire.TO, channel) } : customer && { customer };
    return { kind: 'echo', ...base, ...user };
  }
  const channel = businessNumber(context, wire.CHAT_CHANNEL_ID, wire.TO);
  const contact = contactRef(platform, wire.FROM, channel);
  // Contract, "States and transitions": these are statuses of a message that the business sent, and FROM is the user it
  // was sent to. As a user's message, it would open a window and lift an opt-out.
  if (status !== undefined && status !== 'other') return { kind: 'echo', ...base, contact };
  return {
    kind: 'message',
    ...base,
    contact,
    // The contract does not list the values of STATUS, so any of them may be that of a message from the business.
    opensWindow: status === undefined && (context.windowPer === 'user' || channel !== undefined),
    address: wire.FROM,
    ...(channel !== undefined && { chatChannelNumber: `+${channel.replace(/\D/g, '')}` }),
    name: wire.FROM_NAME?.toWellFormed(),
    customerId: wire.CUSTOMER_ID?.toWellFormed(),
  };
};

/**
 * Returns the event's `CREATION_TIME`. If it is missing, malformed, or later than the publish time, returns the publish
 * time, which redelivery does not change. If there is no publish time either, returns the arrival time.
 *
 * A time in the future would keep a conversation window open for longer than 24 hours.
 */
export const eventTime = (creationTime: unknown, { publishedAt, receivedAt }: DeliveryTimes): EventTime => {
  const own = parseInstant(creationTime);
  const isPublished = publishedAt !== undefined && publishedAt <= receivedAt;
  const latest: EventTime = isPublished
    ? { at: publishedAt, source: 'publish-time' }
    : { at: receivedAt, source: 'arrival' };
  if (own === undefined) return latest;
  return own <= latest.at ? { at: own, source: 'event' } : { ...latest, own };
};

/**
 * Returns an event's business number if windows are per number: the one in the webhook's path, or else in its fields. A
 * field that is a number takes precedence over an id with digits in its tail, which may be anything.
 */
const businessNumber = (
  { windowPer, chatChannelNumber }: ParseEventContext,
  ...fields: readonly (string | undefined)[]
): string | undefined => {
  if (windowPer === 'user') return undefined;
  const names = fields.filter((field) => field !== undefined);
  return [chatChannelNumber ?? '', names.find(isPhone) ?? '', ...names]
    .map(numberOfChannel)
    .find((number) => number !== undefined);
};

const customerOf = (platform: string, customerId: string | undefined): CustomerRef | undefined =>
  customerId !== undefined && isName(customerId) ? { platform: platform.toLowerCase(), customerId } : undefined;

/** Whether a value can be part of a key. */
const isName = (value: string): boolean =>
  value !== '' && value.isWellFormed() && Buffer.byteLength(value) <= z.MAX_ID_BYTES;

const event = (parsed: WebhookEvent): ParsedEvent => ({ kind: 'event', event: parsed });
const unreadable = (reason: string): ParsedEvent => ({ kind: 'unreadable', reason });

/** The contract does not list the literals. These were seen in practice, in upper and in lower case. */
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
