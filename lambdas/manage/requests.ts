import { readInstant } from '../domain/instant.ts';
import * as z from '../domain/schema.ts';
import { NAME, string, text } from '../domain/text-field.ts';

const instant = string().check(
  z.refine((value) => readInstant(value) !== undefined, 'must be an ISO 8601 time with Z or an offset'),
);
const channelNumber = string().check(z.regex(/^\+\d{6,15}$/, 'must be + and digits'));
/** A whole number in a query. */
const count = (maximum: number) =>
  z.pipe(
    string().check(z.regex(/^\d{1,6}$/, 'must be a whole number')),
    z.pipe(
      z.transform(Number),
      z.number().check(z.minimum(1, 'must be at least 1'), z.maximum(maximum, `must be at most ${maximum}`)),
    ),
  );

/** The stage's unless given; the number matters where windows are kept for each of the business's numbers. */
const naming = { chatPlatform: z.optional(text(NAME)), chatChannelNumber: z.optional(channelNumber) };

export const contactQuery = z.strictObject(naming);

export const conversationQuery = z.strictObject({
  ...naming,
  /** Messages a page. @default 50 */
  limit: z.optional(count(500)),
  /** `cursor` of the page before. */
  cursor: z.optional(text(4096)),
});

export const uncertainQuery = z.strictObject({
  /** Sends a page. @default 100 */
  limit: z.optional(count(500)),
  cursor: z.optional(text(4096)),
});

export const noQuery = z.strictObject({});

/** An opt-in or an opt-out. */
export const consentRequest = z.strictObject({
  platformContactId: text(NAME),
  ...naming,
  /** Where it was given: a form, an e-mail, a call; for whoever has to show it later. */
  source: text(1024),
  /** When it was given. @default now */
  at: z.optional(instant),
});

export const MAX_CHECKED_CONTACTS = 1000;

export const contactCheckRequest = z.strictObject({
  contacts: z
    .array(text(NAME), 'must be a list of numbers')
    .check(
      z.minLength(1, 'must name at least one number'),
      z.maxLength(MAX_CHECKED_CONTACTS, `must not name more than ${MAX_CHECKED_CONTACTS} numbers`),
    ),
  ...naming,
  /** Whether the answer is kept on the contacts. @default true */
  remember: z.optional(z.boolean('must be true or false')),
});

/** Which scheduled send is not to go out. */
export const cancellationRequest = z.strictObject({ requestId: text(128) });

/** How an uncertain send ends: what somebody found out about it. */
export const settlementRequest = z
  .strictObject({
    requestId: text(128),
    /** `accepted`: it went out; `failed`: it did not and shall not; `resend`: it is queued again. */
    outcome: z.enum(['accepted', 'failed', 'resend'], 'must be accepted, failed or resend'),
    /** The chat service's id of the message; with `accepted`. */
    messageId: z.optional(text(1024)),
    /** How it was found out, for whoever asks later. */
    note: z.optional(text(1024)),
    /** Of `resend`: whether the request is put on the queue; false when the caller has it there. @default true */
    enqueue: z.optional(z.boolean('must be true or false')),
  })
  .check(
    z.refine((request) => (request.outcome === 'accepted') === (request.messageId !== undefined), {
      path: ['messageId'],
      error: 'goes with the outcome accepted, and with no other',
    }),
  );
