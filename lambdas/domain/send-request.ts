import { type Instant, readInstant } from './instant.ts';
import { parseJson } from './parse-json.ts';
import * as z from './schema.ts';
import { NAME, string, text } from './text-field.ts';

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

/**
 * The claim keeps the request and the call made of it in one table item, which may have 400 KB.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const MAX_REQUEST_BYTES = 128 * 1024;

const address = z.url('must be an address (URL)');

/** A rule, or an approved template, with the values of its variables. */
export const templateReference = z.strictObject({
  ruleNameOrId: text(NAME),
  params: z.optional(z.record(text(NAME), string())),
});

export type TemplateReference = z.output<typeof templateReference>;

/**
 * SQS takes alphanumerics and punctuation, 1 to 128 characters, as a deduplication id, which the request id becomes.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * What an internal system puts on the send queue: the body of `message/v3`, the body of `intent/v2`, or both in one, in
 * the chat service's own field names, with what Parley needs beside them.
 */
export const sendRequest = z
  .strictObject({
    /** Idempotency key: a request is sent once, however often it is queued. */
    requestId: string().check(
      z.regex(REQUEST_ID, 'must be 1 to 128 letters, digits or punctuation marks, without spaces'),
    ),
    /** Required when a template opens the conversation. */
    reason: z.optional(z.enum(APPROVED_REASONS, `must be one of ${APPROVED_REASONS.join(', ')}`)),
    /** Not sent later than this. ISO 8601 with an offset. */
    notAfter: z.optional(
      string().check(
        z.refine((value) => readInstant(value) !== undefined, 'must be an ISO 8601 time with Z or an offset'),
      ),
    ),
    /** Not sent before this, up to a year ahead. ISO 8601 with an offset. @default at once */
    sendAt: z.optional(
      string().check(
        z.refine((value) => readInstant(value) !== undefined, 'must be an ISO 8601 time with Z or an offset'),
      ),
    ),
    /** What to do when it cannot be known whether the message went out. @default hold */
    onUncertain: z.optional(z.enum(['hold', 'resend'], 'must be hold or resend')),
    chatPlatform: z.optional(text(NAME)),
    chatChannelNumber: z.optional(string().check(z.regex(/^\+\d{6,15}$/, 'must be + and 6 to 15 digits'))),
    platformContactId: text(NAME),
    messageText: z.optional(text(MAX_REQUEST_BYTES)),
    audioURL: z.optional(address),
    imageURL: z.optional(address),
    fileURL: z.optional(address),
    ...z.partial(templateReference).shape,
  })
  .check(
    z.refine(
      (request) => hasFreeForm(request) || request.ruleNameOrId !== undefined,
      'needs something to send: messageText, audioURL, imageURL or fileURL, or ruleNameOrId',
    ),
    z.refine((request) => !isLater(readInstant(request.sendAt), readInstant(request.notAfter)), {
      path: ['sendAt'],
      error: 'must not be later than notAfter',
    }),
    z.refine((request) => request.params === undefined || request.ruleNameOrId !== undefined, {
      path: ['params'],
      error: 'go with ruleNameOrId',
    }),
  );

export type SendRequest = z.output<typeof sendRequest>;

export const MEDIA_FIELDS = ['audioURL', 'imageURL', 'fileURL'] as const;

/** Whether the request holds a body for `message/v3`. */
export const hasFreeForm = (
  request: { readonly messageText?: string } & { readonly [F in (typeof MEDIA_FIELDS)[number]]?: string },
): boolean => request.messageText !== undefined || MEDIA_FIELDS.some((field) => request[field] !== undefined);

/** The request's `notAfter` as an instant that compares. */
export const notAfterOf = (request: Pick<SendRequest, 'notAfter'>): Instant | undefined =>
  readInstant(request.notAfter);

const isLater = (instant: Instant | undefined, than: Instant | undefined): boolean =>
  instant !== undefined && than !== undefined && instant > than;

export type ReadSendRequest =
  | { readonly kind: 'request'; readonly request: SendRequest }
  | { readonly kind: 'malformed'; readonly explanation: string };

/** Reads a queue message's body; a malformed one is explained in a sentence that names every fault. */
export const readSendRequest = (body: string): ReadSendRequest => {
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_REQUEST_BYTES) {
    return malformed(`The request has ${bytes} bytes; it may have ${MAX_REQUEST_BYTES}.`);
  }
  const json = parseJson(body);
  if (json === undefined) {
    return malformed('The queue message is not JSON; put a send request there.');
  }
  const read = z.safeParse(sendRequest, json);
  if (read.success) return { kind: 'request', request: read.data };
  const faults = read.error.issues.map(
    (issue) => `${issue.path.join('.') || 'the request'}: ${lowerFirst(issue.message)}`,
  );
  return malformed(`Not a send request: ${faults.join('; ')}.`);
};

const malformed = (explanation: string): ReadSendRequest => ({ kind: 'malformed', explanation });

const lowerFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);
