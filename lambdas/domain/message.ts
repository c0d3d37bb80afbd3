import type { ContactRef } from './contact.ts';
import { presentMedia, readEventContent } from './event-content.ts';
import type { Instant } from './instant.ts';
import * as z from './schema.ts';
import type { SendCall } from './send-call.ts';
import { type Traceparent, traceIdOf } from './trace-context.ts';

/**
 * What the conversation stores about an accepted send. The chat service's answer and a status can both write it and
 * must write the same values, so it has the time of the claim and not of the answer.
 */
export interface OutboundMessage {
  readonly id: string;
  readonly requestId: string;
  readonly contact: ContactRef;
  readonly call: SendCall;
  readonly claimedAt: Instant;
  /** The number of the call, counted per request from 1. */
  readonly attempt: number;
  /** The trace of the send; absent for sends of earlier versions. */
  readonly traceparent?: Traceparent;
}

const optionalString = z.optional(z.string());
const instant = z.optional(z.string());

/**
 * A message's item: a user's message with its event `body`, or Parley's own with its `call`, and one time per status.
 * The parts may arrive in any order. The echo of a message is an item of its own, with its event `body`.
 */
export const messageItem = z.object({
  direction: z.optional(z.enum(['inbound', 'outbound', 'echo'])),
  createdAt: instant,
  body: optionalString,
  requestId: optionalString,
  traceparent: optionalString,
  call: z.optional(z.object({ endpoint: z.string(), body: z.record(z.string(), z.unknown()) })),
  sentAt: instant,
  deliveredAt: instant,
  readAt: instant,
  failedAt: instant,
  statusBodies: z.optional(z.set(z.string())),
});

export type MessageItem = z.output<typeof messageItem>;

/** When a message was written, and whose conversation it is in; no contact if no address of the user is known. */
export interface MessageOrigin {
  readonly createdAt: Instant;
  readonly contact?: ContactRef | undefined;
}

const urls = z.optional(z.array(z.string()));

/** A message as the management API shows it. If only a status has arrived, it has only that status's time. */
export const messageRecord = z.object({
  id: z.string(),
  /** `echo`: a bot's or an operator's message. */
  direction: z.optional(z.enum(['inbound', 'outbound', 'echo'])),
  createdAt: instant,
  text: optionalString,
  media: z.optional(z.object({ images: urls, audios: urls, files: urls, videos: urls })),
  /** The request that Parley sent as this message. */
  requestId: optionalString,
  /** The ID of the message's trace, as in the logs. */
  traceId: optionalString,
  endpoint: optionalString,
  ruleNameOrId: optionalString,
  params: z.optional(z.record(z.string(), z.string())),
  sentAt: instant,
  deliveredAt: instant,
  readAt: instant,
  failedAt: instant,
});

export type MessageRecord = z.output<typeof messageRecord>;

const echoRecord = z.pick(messageRecord, { createdAt: true, text: true, media: true });

/** A message by its id, with everything that the chat service reported about it. */
export const detailedMessage = z.object({
  ...messageRecord.shape,
  /** The event exactly as the chat service delivered it. */
  body: optionalString,
  /** The echo of a message that is shown as Parley sent it, or as the user wrote it. */
  echo: z.optional(z.object({ ...echoRecord.shape, body: optionalString })),
  /** The status notifications exactly as the chat service delivered them, in no order. */
  statusBodies: z.optional(z.array(z.string())),
});

export type DetailedMessage = z.output<typeof detailedMessage>;

/** Derives what the API shows from what the table stores: text and media are stored once, in the body or the call. */
export const describeMessage = (id: string, item: MessageItem): MessageRecord => {
  const { direction, createdAt, requestId, traceparent, body, sentAt, deliveredAt, readAt, failedAt } = item;
  const traceId = traceparent && traceIdOf(traceparent);
  const common = { id, direction, createdAt, requestId, traceId, sentAt, deliveredAt, readAt, failedAt };
  if (direction === 'outbound') return { ...common, ...describeCall(item.call) };
  const { text, media } = body === undefined ? {} : readEventContent(body);
  return { ...common, text, media: media && presentMedia(media) };
};

/**
 * Describes a message by what is stored under its id. The echo is shown as the message if only statuses are known of
 * the message; otherwise it is shown with the message, because the two may differ.
 */
export const describeDetails = (id: string, message: MessageItem, echo: MessageItem | undefined): DetailedMessage => {
  const isEcho = message.direction === undefined && echo !== undefined;
  const shown = isEcho ? withStatuses(echo, message) : message;
  const beside = isEcho || echo === undefined ? undefined : describeMessage(id, echo);
  return {
    ...describeMessage(id, shown),
    ...(shown.body !== undefined && { body: shown.body }),
    ...(beside && {
      echo: { createdAt: beside.createdAt, text: beside.text, media: beside.media, body: echo?.body },
    }),
    ...(shown.statusBodies && { statusBodies: [...shown.statusBodies].toSorted() }),
  };
};

/** Returns an echo with the statuses of its message, which are in the message's item. */
export const withStatuses = (
  echo: MessageItem,
  { sentAt, deliveredAt, readAt, failedAt, statusBodies }: MessageItem,
): MessageItem => ({ ...echo, sentAt, deliveredAt, readAt, failedAt, statusBodies });

const describeCall = (call: MessageItem['call']): Partial<MessageRecord> => {
  if (call === undefined) return {};
  const { messageText, imageURL, audioURL, fileURL, ruleNameOrId, params } = call.body;
  const media = { images: listOf(imageURL), audios: listOf(audioURL), files: listOf(fileURL), videos: [] };
  return {
    endpoint: call.endpoint,
    text: stringOf(messageText),
    media: presentMedia(media),
    ruleNameOrId: stringOf(ruleNameOrId),
    params: z.safeParse(z.record(z.string(), z.string()), params).data,
  };
};

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const listOf = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);

/** A page of a conversation, newest message first. */
export interface ConversationPage {
  readonly messages: readonly MessageRecord[];
  /** Where the next page starts; absent on the last one. */
  readonly next?: ConversationPosition;
}

/** The message after which a page starts. */
export const conversationPosition = z.strictObject({ pk: z.string(), sk: z.string(), contactSort: z.string() });

export type ConversationPosition = z.output<typeof conversationPosition>;
