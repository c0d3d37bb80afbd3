import { createHash } from 'node:crypto';
import { isPhone } from './address.ts';
import {
  type ContactRef,
  type CustomerRef,
  contactKey,
  contactRef,
  type DataSubject,
  numberOfChannel,
  type WindowPer,
} from './contact.ts';
import { describeFailure } from './failure.ts';
import { parseServiceTime } from './instant.ts';
import { isKeyPart, MAX_ID_BYTES } from './key-part.ts';
import { REQUEST_ID } from './send-request.ts';
import { startTrace, type Traceparent } from './trace-context.ts';
import { type ChannelRef, NO_LINE } from './watch/channel-rhythm.ts';
import type {
  DeliveryTimes,
  Echo,
  EventBase,
  EventTime,
  InboundMessage,
  StatusKind,
  WebhookEvent,
} from './webhook-event.ts';
import { nameOfUnknown } from './webhook-formats/formats.ts';
import { type PostedEvent, splitPost } from './webhook-formats/split-post.ts';
import type { ServiceEvent } from './webhook-formats/webhook-format.ts';

export type ParsedEvent =
  | { readonly kind: 'event'; readonly event: WebhookEvent }
  /** `body`: the event, without the other events of its post. */
  | { readonly kind: 'unreadable'; readonly body: string; readonly reason: string };

export interface ParseEventContext {
  readonly times: DeliveryTimes;
  /** The platform of an event that names none. */
  readonly chatPlatform: string;
  readonly windowPer: WindowPer;
  /** The stage's own business number. @default every number counts as the stage's */
  readonly stageNumber?: string | undefined;
  /** The business number in the webhook's path. */
  readonly chatChannelNumber?: string;
  /** Whether events name their channel, for a stage that watches what arrives. @default false */
  readonly namesChannels?: boolean | undefined;
  /** The trace of the webhook request. @default a trace that starts with the event */
  readonly traceparent?: Traceparent;
}

/**
 * Parses the events of a post tolerantly, whatever their formats: only the id is required and, for a user's message, the
 * user's address. Unknown fields stay in the body.
 *
 * @param body the post's JSON, already verified and removed from its envelope
 */
export const parseEvents = (body: string, context: ParseEventContext): readonly ParsedEvent[] =>
  splitPost(body).map((posted) =>
    'reason' in posted ? unreadable(posted.body, posted.reason) : parsePosted(posted, context),
  );

/** Parses one event of a post. */
export const parsePosted = ({ body, format, fields, entry }: PostedEvent, context: ParseEventContext): ParsedEvent => {
  const read = asOfBusiness(format.read(fields, entry), context);
  const fault = read.fault ?? (read.unknown === undefined ? faultOfId(read) : undefined);
  if (fault !== undefined) return unreadable(body, `Not a known event: ${fault}.`);
  const id = read.unknown === undefined ? String(read.id) : unknownEventId(body);
  const { times, traceparent = startTrace('message', id) } = context;
  const platform = read.chatPlatform || context.chatPlatform;
  const channelField = context.namesChannels && { channel: channelOf(platform, lineOf(context, ...read.lines)) };
  const customer = customerOf(platform, read.customerId);
  const [time, modified] = [eventTime(read.time, times), eventTime(read.modificationTime, times)];
  const named = { ...channelField, ...(customer && { customerId: customer.customerId }) };
  const base = { id, time, modified, body, traceparent, ...named };
  const channel = businessNumber(context, ...read.lines);
  const contact = read.user === undefined ? undefined : contactRef(platform, read.user, channel);
  const subject = contact ?? customer;
  if (read.unknown !== undefined)
    return event({ kind: 'unknown', ...base, name: nameOfUnknown(read.unknown), ...subjectOf(subject) });
  const isOfOtherNumber = context.windowPer === 'user' && isOther(context, lineOf(context, ...read.lines));
  const origin = { read, contact, customer, channel, windowPer: context.windowPer, isOfOtherNumber };
  if (read.status === undefined) {
    const message = messageOf(base, origin);
    return message ? event(message) : unreadable(body, 'Not a known event: it does not name the user.');
  }
  const literal = read.status.literal.toLowerCase();
  const status = statusKind(literal);
  const { failure } = read.status;
  const { requestId, transactionId } = read;
  const message = messageOf({ ...base, isFromStatus: true }, { ...origin, status });
  return event({
    kind: 'status',
    ...base,
    status,
    literal,
    ...(subject && { subject }),
    ...(requestId !== undefined && REQUEST_ID.test(requestId) && { requestId }),
    ...(transactionId !== undefined && { transactionId }),
    ...(status === 'failed' && failure && { failure: describeFailure(failure) }),
    ...(message && { message }),
  });
};

/**
 * Returns a message from the business's own number as one that the business wrote. As a user's message, a bot would
 * answer it, and then its own answer.
 */
const asOfBusiness = (read: ServiceEvent, { chatChannelNumber }: ParseEventContext): ServiceEvent => {
  const { message, user, recipient, lines } = read;
  if (message?.sender !== 'user' || user === undefined) return read;
  const own = [chatChannelNumber, ...lines].flatMap((name) => numberOfChannel(name ?? '') ?? []);
  if (!own.map(contactKey).includes(contactKey(user))) return read;
  return { ...read, user: recipient, message: { ...message, sender: 'business', senderName: user } };
};

/** What else is known about the message of an event. */
interface MessageOrigin {
  readonly read: ServiceEvent;
  readonly contact: ContactRef | undefined;
  readonly customer: CustomerRef | undefined;
  readonly channel: string | undefined;
  readonly windowPer: WindowPer;
  readonly isOfOtherNumber: boolean;
  /** The status that the event carries in addition to the message, if any. */
  readonly status?: StatusKind;
}

/**
 * Returns the message of an event: a user's message only if the event says that the user wrote it, otherwise an echo.
 * Returns undefined if the event carries none, or does not name the user who wrote it.
 */
const messageOf = (
  base: EventBase,
  { read, contact, customer, channel, windowPer, isOfOtherNumber, status }: MessageOrigin,
): InboundMessage | Echo | undefined => {
  const { message, user, transactionId } = read;
  if (message === undefined) return undefined;
  const { sender, senderName } = message;
  // Contract, "States and transitions": these are statuses of a message that the business sent, and FROM is the user it
  // was sent to. As a user's message, it would open a window and lift an opt-out.
  const isOfBusiness = status !== undefined && status !== 'other';
  if (sender !== 'user' || isOfBusiness) {
    return {
      kind: 'echo',
      ...base,
      sender: sender === 'user' ? 'business' : sender,
      ...(senderName !== undefined && { senderName }),
      ...(transactionId !== undefined && { transactionId }),
      ...subjectOf(contact ?? customer),
    };
  }
  if (user === undefined || contact === undefined) return undefined;
  return {
    kind: 'message',
    ...base,
    contact,
    // The contract does not list the values of STATUS, so any of them may be that of a message from the business.
    opensWindow: status === undefined && !base.time.isUnreadable && (windowPer === 'user' || channel !== undefined),
    address: user,
    ...(channel !== undefined && { chatChannelNumber: `+${channel.replace(/\D/g, '')}` }),
    name: read.name,
    ...(isOfOtherNumber && { isOfOtherNumber: true as const }),
  };
};

const subjectOf = (subject: DataSubject | undefined) =>
  subject === undefined ? {} : 'key' in subject ? { contact: subject } : { customer: subject };

/** Two deliveries of an event without an id have the same body. */
const unknownEventId = (body: string): string =>
  `event-${createHash('sha256').update(body).digest('base64url').slice(0, 32)}`;

const faultOfId = ({ id, idField }: ServiceEvent): string | undefined => {
  if (id === undefined) return `${idField}: is missing`;
  if (id === '') return `${idField}: is empty`;
  if (!id.isWellFormed()) return `${idField}: is not well-formed Unicode`;
  return isKeyPart(id) ? undefined : `${idField}: is longer than ${MAX_ID_BYTES} bytes`;
};

/**
 * Returns the event's own time. If it is missing, malformed, or later than the publish time, returns the publish
 * time, which redelivery does not change. If there is no publish time either, returns the arrival time.
 *
 * A time in the future would keep a conversation window open for longer than 24 hours.
 */
export const eventTime = (creationTime: unknown, { publishedAt, receivedAt }: DeliveryTimes): EventTime => {
  const own = parseServiceTime(creationTime);
  const isPublished = publishedAt !== undefined && publishedAt <= receivedAt;
  const latest: EventTime = isPublished
    ? { at: publishedAt, source: 'publish-time' }
    : { at: receivedAt, source: 'arrival' };
  if (own === undefined) return isPublished || isEmpty(creationTime) ? latest : { ...latest, isUnreadable: true };
  return own <= latest.at ? { at: own, source: 'event' } : { ...latest, own };
};

const isEmpty = (creationTime: unknown): boolean =>
  creationTime === undefined || creationTime === null || creationTime === '';

/**
 * Returns an event's business number if windows are per number: the one in the webhook's path, or else in its fields. A
 * field that is a number takes precedence over an id with digits in its tail, which may be anything.
 */
const businessNumber = (context: ParseEventContext, ...fields: readonly (string | undefined)[]): string | undefined =>
  context.windowPer === 'user' ? undefined : lineOf(context, ...fields);

const lineOf = (
  { chatChannelNumber }: ParseEventContext,
  ...fields: readonly (string | undefined)[]
): string | undefined => {
  const names = fields.filter((field) => field !== undefined);
  return [chatChannelNumber ?? '', names.find(isPhone) ?? '', ...names]
    .map(numberOfChannel)
    .find((number) => number !== undefined);
};

/** Whether a business number is known to be a different one from the stage's. */
const isOther = ({ stageNumber }: ParseEventContext, line: string | undefined): boolean =>
  line !== undefined &&
  stageNumber !== undefined &&
  contactKey(line) !== contactKey(numberOfChannel(stageNumber) ?? stageNumber);

const channelOf = (platform: string, line: string | undefined): ChannelRef => ({
  platform: platform.toLowerCase(),
  line: line?.replace(/\D/g, '') ?? NO_LINE,
});

const customerOf = (platform: string, customerId: string | undefined): CustomerRef | undefined =>
  customerId !== undefined && isKeyPart(customerId) ? { platform: platform.toLowerCase(), customerId } : undefined;

const event = (parsed: WebhookEvent): ParsedEvent => ({ kind: 'event', event: parsed });
const unreadable = (body: string, reason: string): ParsedEvent => ({ kind: 'unreadable', body, reason });

/** The contract does not list the literals. These were seen in practice, in upper and in lower case. */
const statusKind = (literal: string): StatusKind => {
  switch (literal) {
    case 'sent':
    case 'delivered':
    case 'read':
    case 'answered':
    case 'failed':
      return literal;
    case 'error':
      return 'failed';
    default:
      return 'other';
  }
};
