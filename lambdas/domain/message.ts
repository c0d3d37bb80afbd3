import type { ContactRef } from './contact.ts';
import { describeVersions, isEdited } from './describe-versions.ts';
import { describeContent, presentMedia, readEventContent } from './event-content.ts';
import { parseFailure } from './failure.ts';
import type { Instant } from './instant.ts';
import type { MessageVersion } from './message-version.ts';
import * as z from './schema.ts';
import type { SendCall } from './send-call.ts';
import { type Traceparent, traceIdOf } from './trace-context.ts';
import { nameOfUnknown, readServiceEvent } from './webhook-formats/formats.ts';

/**
 * What the conversation stores about an accepted send. The chat service's answer and a status can both write it and
 * must write the same values, so it has the time of the claim and not of the answer.
 */
export interface OutboundMessage {
  readonly id: string;
  readonly requestId: string;
  readonly contact: ContactRef;
  /** The customer whom the request names in place of an address; absent once the send was erased. */
  readonly customerId?: string | undefined;
  readonly call: SendCall;
  readonly claimedAt: Instant;
  /** The number of the call, counted per request from 1. */
  readonly attempt: number;
  /** The trace of the send; absent once the send was erased. */
  readonly traceparent?: Traceparent;
}

const optionalString = z.optional(z.string());
const instant = z.optional(z.string());

export const DIRECTIONS = ['inbound', 'outbound', 'echo', 'unknown'] as const;

export const statusTimes = {
  sentAt: instant,
  deliveredAt: instant,
  readAt: instant,
  answeredAt: instant,
  failedAt: instant,
};

/**
 * A message as stored: a user's message with its event `body`, or Parley's own with its `call`, and one time per status.
 * The parts may arrive in any order. The echo of a message is stored on its own, with its event `body`.
 */
export interface StoredMessage extends Readonly<Partial<Record<keyof typeof statusTimes, Instant | undefined>>> {
  readonly direction?: (typeof DIRECTIONS)[number] | undefined;
  readonly createdAt?: Instant | undefined;
  readonly body?: string | undefined;
  /** When the event's message was last modified. @default createdAt */
  readonly modifiedAt?: Instant | undefined;
  /** The digests of the earlier versions, which are stored on their own. */
  readonly versions?: ReadonlySet<string> | undefined;
  readonly requestId?: string | undefined;
  readonly traceparent?: Traceparent | undefined;
  readonly call?: { readonly endpoint: string; readonly body: Readonly<Record<string, unknown>> } | undefined;
  /** Why it failed, as `describeFailure` describes it. */
  readonly failure?: string | undefined;
  readonly statusBodies?: ReadonlySet<string> | undefined;
}

/** When a message was written, and whose conversation it is in; no contact if no address of the user is known. */
export interface MessageOrigin {
  readonly createdAt: Instant;
  readonly contact?: ContactRef | undefined;
}

const urls = z.optional(z.array(z.string()));

/** What a message can contain in addition to text and media. */
const contentFields = {
  location: z.optional(
    z.object({
      name: optionalString,
      address: optionalString,
      latitude: z.optional(z.number()),
      longitude: z.optional(z.number()),
    }),
  ),
  /** Contact cards that the user shared. */
  contactCards: z.optional(z.array(z.object({ name: optionalString, phones: z.array(z.string()) }))),
  /** The button or the list row that the user tapped. */
  button: z.optional(z.object({ text: optionalString, payload: optionalString })),
  reactions: urls,
  /** The chat service's explanation for a kind of message that it does not pass on. */
  unsupported: optionalString,
};

/** A message as the management API shows it. If only a status has arrived, it has only that status's time. */
export const messageRecord = z.object({
  id: z.string(),
  /**
   * `echo`: a message of a bot, an operator, or an unknown sender; `unknown`: an event that Parley does not know.
   */
  direction: z.optional(z.enum(DIRECTIONS)),
  /** In the conversation of a customer, the user's address. Absent if the message names only the customer. */
  platformContactId: optionalString,
  createdAt: instant,
  /** When a message that was edited was last modified, or else when its latest version was delivered. */
  editedAt: instant,
  text: optionalString,
  media: z.optional(z.object({ images: urls, audios: urls, files: urls, videos: urls })),
  ...contentFields,
  /** Who wrote an echo; `business`: a bot or an operator. */
  sender: z.optional(z.enum(['bot', 'operator', 'business', 'unknown'])),
  /** What the chat service calls an event that Parley does not know. */
  eventName: optionalString,
  /** The request that Parley sent as this message. */
  requestId: optionalString,
  /** The ID of the message's trace, as in the logs. */
  traceId: optionalString,
  endpoint: optionalString,
  ruleNameOrId: optionalString,
  params: z.optional(z.record(z.string(), z.string())),
  ...statusTimes,
  /** The platform's code of the failure, and its reason. */
  failureCode: optionalString,
  failureReason: optionalString,
});

export type MessageRecord = z.output<typeof messageRecord>;

const echoRecord = z.pick(messageRecord, { createdAt: true, editedAt: true, text: true, media: true });

/** A version of an edited message. */
const versionRecord = z.object({
  /** When the message was modified, or else when this version was delivered. */
  modifiedAt: z.string(),
  ...z.pick(messageRecord, { text: true, media: true }).shape,
  /** The event exactly as the chat service delivered it. Absent if the answer would be too large with it. */
  body: optionalString,
});

/** All versions of an edited message, oldest first. The message shows the latest one. */
const versions = z.optional(z.array(versionRecord));

/** A message by its id, with everything that the chat service reported about it. */
export const detailedMessage = z.object({
  ...messageRecord.shape,
  /** The event exactly as the chat service delivered it. */
  body: optionalString,
  /** The echo of a message that is shown as Parley sent it, or as the user wrote it. */
  echo: z.optional(z.object({ ...echoRecord.shape, body: optionalString, versions })),
  versions,
  /** The status notifications exactly as the chat service delivered them, in no order. */
  statusBodies: z.optional(z.array(z.string())),
});

export type DetailedMessage = z.output<typeof detailedMessage>;

/**
 * Derives what the API shows from what the table stores: text and media are stored once, in the body or the call.
 *
 * @param platformContactId the user's address, if the message is shown among those of other addresses
 */
export const describeMessage = (id: string, item: StoredMessage, platformContactId?: string): MessageRecord => {
  const { direction, createdAt, requestId, traceparent, body, failure } = item;
  const traceId = traceparent && traceIdOf(traceparent);
  const { code: failureCode, reason: failureReason } = failure === undefined ? {} : parseFailure(failure);
  const editedAt = isEdited(item) ? item.modifiedAt : undefined;
  const common = {
    ...{ id, direction, platformContactId, createdAt, editedAt, requestId, traceId },
    ...statusesOf(item),
    failureCode,
    failureReason,
  };
  if (direction === 'outbound') return { ...common, ...describeCall(item.call) };
  return body === undefined ? common : { ...common, ...describeBody(body, direction) };
};

const describeBody = (body: string, direction: StoredMessage['direction']): Partial<MessageRecord> => {
  if (direction === 'unknown') return { eventName: nameOfUnknown(readServiceEvent(body)?.unknown ?? '') };
  const { sender, from: _from, ...content } = readEventContent(body);
  return { ...describeContent(content), ...(direction === 'echo' && sender !== 'user' && { sender }) };
};

/**
 * Describes a message by what is stored under its id. The echo is shown as the message if only statuses are known of
 * the message; otherwise it is shown with the message, because the two may differ.
 *
 * @param earlier the earlier versions of both, by digest
 */
export const describeDetails = (
  id: string,
  message: StoredMessage,
  echo: StoredMessage | undefined,
  earlier: ReadonlyMap<string, MessageVersion>,
): DetailedMessage => {
  const isEcho = message.direction === undefined && echo !== undefined;
  const shown = isEcho ? withStatuses(echo, message) : message;
  return {
    ...describeMessage(id, shown),
    ...(shown.body !== undefined && { body: shown.body }),
    versions: describeVersions(shown, earlier),
    ...(echo !== undefined && !isEcho && { echo: describeEcho(id, echo, earlier) }),
    ...(shown.statusBodies && { statusBodies: [...shown.statusBodies].toSorted() }),
  };
};

const describeEcho = (
  id: string,
  echo: StoredMessage,
  earlier: ReadonlyMap<string, MessageVersion>,
): DetailedMessage['echo'] => {
  const { createdAt, editedAt, text, media } = describeMessage(id, echo);
  return { createdAt, editedAt, text, media, body: echo.body, versions: describeVersions(echo, earlier) };
};

/** Returns an echo with the statuses of its message, which are in the message's item. */
export const withStatuses = (echo: StoredMessage, message: StoredMessage): StoredMessage => {
  const { failure, statusBodies } = message;
  return { ...echo, ...statusesOf(message), failure, statusBodies };
};

const statusesOf = ({ sentAt, deliveredAt, readAt, answeredAt, failedAt }: StoredMessage) => ({
  sentAt,
  deliveredAt,
  readAt,
  answeredAt,
  failedAt,
});

const describeCall = (call: StoredMessage['call']): Partial<MessageRecord> => {
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
