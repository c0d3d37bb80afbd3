import { parseDuration } from './duration.ts';
import { addMs, type Instant, parseInstant } from './instant.ts';
import * as z from './schema.ts';

/** Why the business writes first: the contract's Rules of use, 3, "one of the approved kinds". */
export const APPROVED_REASONS = [
  'account-update',
  'appointment',
  'activity',
  'payment',
  'reservation',
  'shipping-status',
  'ticket-change',
  'transport',
  'similar',
] as const;

export type ApprovedReason = (typeof APPROVED_REASONS)[number];

/**
 * A send stores the request, the call built from it, and an earlier call in one table item, which can have at most
 * 400 KB.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export const MAX_REQUEST_BYTES = 128 * 1024;

const url = z.url('must be a complete URL, such as https://media.example/photo.jpg');

const A_TIME = 'must be an ISO 8601 time with Z or an offset, such as 2026-12-24T18:00:00Z';

/** A time, ISO 8601 with an offset. */
export const instant = z.wellFormedString().check(z.refine((value) => parseInstant(value) !== undefined, A_TIME));

const instantOrDuration = z
  .wellFormedString()
  .check(
    z.refine(
      (value) => (parseInstant(value) ?? parseDuration(value)) !== undefined,
      `${A_TIME}, or a duration of weeks, days, hours, minutes, and seconds, such as PT10M`,
    ),
  );

/** What a request can name in `unless`. */
export const SEND_CONDITIONS = ['userWroteSince', 'operatorWroteSince'] as const;

const A_LIST = `must be a list with at least one of ${SEND_CONDITIONS.join(' and ')}`;

/** A rule or an approved template, with the values of its variables. */
export const templateReference = z.strictObject({
  ruleNameOrId: z.boundedString(z.MAX_NAME_LENGTH),
  params: z.optional(
    z.record(z.boundedString(z.MAX_NAME_LENGTH), z.wellFormedString(), {
      error: ({ code }) =>
        code === 'invalid_key'
          ? `must have a name of 1 to ${z.MAX_NAME_LENGTH} characters`
          : 'must be an object with the value of each variable, such as {"name": "Ana"}',
    }),
  ),
});

export type TemplateReference = z.output<typeof templateReference>;

/**
 * A request id is also the SQS deduplication id: 1 to 128 letters, digits, or punctuation characters.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Short enough to be the start of its requests' ids, as the command line makes them. */
export const BROADCAST_ID = /^[\x21-\x7e]{1,64}$/;

/**
 * A message on the send queue: the body of `message/v3`, of `intent/v2`, or both in one, in the chat service's own
 * field names, plus the fields that Parley adds.
 */
export const sendRequest = z
  .strictObject(
    {
      /** Idempotency key: a request is sent once, no matter how often it is queued. */
      requestId: z
        .wellFormedString()
        .check(z.regex(REQUEST_ID, 'must be 1 to 128 letters, digits, or punctuation characters, without spaces')),
      /** The broadcast that the request is part of, to find and count its sends. */
      broadcastId: z.optional(
        z
          .wellFormedString()
          .check(z.regex(BROADCAST_ID, 'must be 1 to 64 letters, digits, or punctuation characters, without spaces')),
      ),
      /** Required when a template opens the conversation. */
      reason: z.optional(z.enum(APPROVED_REASONS, `must be one of ${APPROVED_REASONS.join(', ')}`)),
      /**
       * The request expires after this time, ISO 8601 with an offset; or so long after its `sendAt`, or after it was first
       * queued, as a duration such as `PT10M`.
       */
      notAfter: z.optional(instantOrDuration),
      /** The request is sent no earlier than this, up to a year ahead. ISO 8601 with an offset. @default now */
      sendAt: z.optional(instant),
      /** What to do if the outcome of a call is unknown. @default hold */
      onUncertain: z.optional(z.enum(['hold', 'resend'], 'must be hold or resend')),
      /** What must not have happened after `since`; otherwise the request is refused. */
      unless: z.optional(
        z
          .array(z.enum(SEND_CONDITIONS, `must be ${SEND_CONDITIONS.join(' or ')}`), A_LIST)
          .check(z.minLength(1, A_LIST)),
      ),
      /** A time, ISO 8601 with an offset, or the ID of a message, which stands for the message's time. */
      since: z.optional(z.boundedString(z.MAX_ID_BYTES)),
      /** Whether a bot or another automated system sends it: refused while the contact is handed over to people. */
      automated: z.optional(z.boolean('must be true or false')),
      /** Whether it confirms the user's opt-out, with the text in the stage's settings. Parley queues such requests. */
      confirmsOptOut: z.optional(z.boolean('must be true or false')),
      chatPlatform: z.optional(z.boundedString(z.MAX_NAME_LENGTH)),
      chatChannelNumber: z.optional(
        z.wellFormedString().check(z.regex(/^\+\d{6,15}$/, 'must be + followed by 6 to 15 digits')),
      ),
      platformContactId: z.optional(z.typedAddress(z.MAX_NAME_LENGTH)),
      /** The chat service's ID of the user, in place of an address, which is then chosen when the request is sent. */
      customerId: z.optional(z.idInKey()),
      messageText: z.optional(z.boundedString(MAX_REQUEST_BYTES)),
      audioURL: z.optional(url),
      imageURL: z.optional(url),
      fileURL: z.optional(url),
      ...z.partial(templateReference).shape,
    },
    'must be a JSON object',
  )
  .check(
    z.refine((request) => (request.platformContactId === undefined) !== (request.customerId === undefined), {
      path: ['platformContactId'],
      error: 'is required unless customerId is given; give one of them, not both',
    }),
    z.refine(
      (request) => hasContent(request) || request.confirmsOptOut === true,
      'has nothing to send; add messageText, audioURL, imageURL, fileURL, or ruleNameOrId',
    ),
    z.refine((request) => !hasContent(request) || request.confirmsOptOut !== true, {
      path: ['confirmsOptOut'],
      error:
        'cannot be true in a request with a message or a template; remove it, because only Parley confirms opt-outs',
    }),
    z.refine((request) => isEarlier(parseInstant(request.sendAt), parseInstant(request.notAfter)), {
      path: ['sendAt'],
      error: 'must be earlier than notAfter',
    }),
    z.refine((request) => request.unless === undefined || request.since !== undefined, {
      path: ['since'],
      error: 'is missing, and `unless` requires it; add the ID of the message that you answer, or a time',
    }),
    z.refine((request) => request.since === undefined || request.unless !== undefined, {
      path: ['unless'],
      error: 'is missing, and `since` requires it; add ["userWroteSince"], or remove `since`',
    }),
    z.refine((request) => request.params === undefined || request.ruleNameOrId !== undefined, {
      path: ['params'],
      error: 'needs a template; add `ruleNameOrId`, or remove `params`',
    }),
  );

export type SendRequest = z.output<typeof sendRequest>;

export const MEDIA_FIELDS = ['audioURL', 'imageURL', 'fileURL'] as const;

/** Whether the request includes a body for `message/v3`. */
export const hasFreeForm = (
  request: { readonly messageText?: string } & { readonly [F in (typeof MEDIA_FIELDS)[number]]?: string },
): boolean => request.messageText !== undefined || MEDIA_FIELDS.some((field) => request[field] !== undefined);

const hasContent = (request: Parameters<typeof hasFreeForm>[0] & { readonly ruleNameOrId?: string }): boolean =>
  hasFreeForm(request) || request.ruleNameOrId !== undefined;

/** Returns the request's `notAfter` in UTC, so that it can be compared. Undefined for a duration that is not resolved. */
export const notAfterOf = (request: Pick<SendRequest, 'notAfter'>): Instant | undefined =>
  parseInstant(request.notAfter);

export const hasExpired = (request: Pick<SendRequest, 'notAfter'>, now: Instant): boolean => {
  const notAfter = notAfterOf(request);
  return notAfter !== undefined && now > notAfter;
};

/** Replaces a relative `notAfter`, the request's own or the stage's, with its time, if it counts from a `sendAt`. */
export const countFromSendAt = <Request extends Pick<SendRequest, 'sendAt' | 'notAfter'>>(
  request: Request,
  defaultNotAfter: string | undefined,
): Request => {
  const [sendAt, lifetimeMs] = [parseInstant(request.sendAt), parseDuration(request.notAfter ?? defaultNotAfter)];
  if (sendAt === undefined || lifetimeMs === undefined) return request;
  return { ...request, notAfter: addMs(sendAt, lifetimeMs) };
};

/** Whether `instant` is earlier; true if either is missing. */
const isEarlier = (instant: Instant | undefined, than: Instant | undefined): boolean =>
  instant === undefined || than === undefined || instant < than;

export type ParsedSendRequest =
  | { readonly kind: 'request'; readonly request: SendRequest }
  | { readonly kind: 'malformed'; readonly explanation: string };

/**
 * Parses a queue message's body. Optional fields that are null or empty count as missing. If the body is malformed,
 * `explanation` is one sentence that names every fault.
 */
export const parseSendRequest = (body: string): ParsedSendRequest => {
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_REQUEST_BYTES) {
    return malformed(`The request has ${bytes} bytes; the maximum is ${MAX_REQUEST_BYTES}. Shorten it.`);
  }
  const json = z.parseJson(body);
  if (json === undefined)
    return malformed('The queue message is not JSON. It must be a JSON object with the fields of a send request.');
  const parsed = z.safeParse(sendRequest, withoutEmptyFields(json));
  return parsed.success
    ? { kind: 'request', request: parsed.data }
    : malformed(`Not a send request: ${z.describeIssues(parsed.error, 'the request')}.`);
};

/** Many systems write null or an empty string for a field that they do not set. */
export const withoutEmptyFields = (json: unknown): unknown =>
  typeof json === 'object' && json !== null && !Array.isArray(json)
    ? Object.fromEntries(
        Object.entries(json).filter(([field, value]) => field === 'requestId' || (value !== null && value !== '')),
      )
    : json;

const malformed = (explanation: string): ParsedSendRequest => ({ kind: 'malformed', explanation });

const dueMessage = z.strictObject({ scheduledRequestId: z.string() });

/** A due message is short; anything longer is a request and is parsed once, as a request. */
const MAX_DUE_MESSAGE_CHARACTERS = 512;

/**
 * Serializes the message that a schedule puts on the send queue when a request becomes due. It carries only the request
 * id. The request itself is in the table, so that it cannot be sent once it is cancelled or erased there.
 */
export const serializeDueMessage = (requestId: string): string => JSON.stringify({ scheduledRequestId: requestId });

/** Returns the id of the request that became due. Returns undefined for any other queue message. */
export const parseDueMessage = (body: string): string | undefined => {
  if (body.length > MAX_DUE_MESSAGE_CHARACTERS) return undefined;
  const parsed = z.safeParse(dueMessage, z.parseJson(body));
  return parsed.success ? parsed.data.scheduledRequestId : undefined;
};
