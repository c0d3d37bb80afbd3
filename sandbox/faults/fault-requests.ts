import * as z from 'zod';

/*
 * The body of POST /sandbox/faults. Like all of the control API it is strict: a misspelt field should be an error.
 */

const count = z.int().min(1).max(1_000_000).default(1);
const milliseconds = z.int().min(0).max(600_000);

/** What happens to the next answers of the API. */
export const answerFault = z
  .strictObject({
    /** How many calls it meets. */
    count,
    /** Only calls of this endpoint. */
    endpoint: z.enum(['message/v3', 'intent/v2', 'customer/checkChatContact']).optional(),
    /** Only calls about this user. */
    contact: z.string().min(1).optional(),
    status: z.int().min(200).max(599).optional(),
    /** Text goes out as it is, anything else as JSON. */
    body: z.json().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    /** How long the answer is held back, in real time. */
    delayMs: milliseconds.optional(),
    /** The connection is reset instead of an answer: before the call was looked at, or after it was done. */
    reset: z.enum(['before', 'after']).optional(),
    /**
     * Whether the call is done although its answer fails.
     *
     * @default false with a status or a body, true with a delay alone; a reset says so itself
     */
    accept: z.boolean().optional(),
  })
  .refine(
    ({ status, body, delayMs, reset }) => [status, body, delayMs, reset].some((fault) => fault !== undefined),
    'give status, body, delayMs or reset',
  )
  .refine(
    ({ reset, accept, status, body }) => reset === undefined || (accept ?? status ?? body) === undefined,
    'reset goes without accept, status and body',
  );

/** What happens to the next deliveries of events. */
export const deliveryFault = z
  .strictObject({
    count,
    /** Each is posted twice. */
    double: z.literal(true).optional(),
    /** Each is held back for so long, in real time. */
    holdMs: milliseconds.optional(),
    /** They are held back until `count` of them are there, then posted in reverse, one after another. */
    reverse: z.literal(true).optional(),
  })
  .refine(
    ({ double, holdMs, reverse }) => [double, holdMs, reverse].filter((fault) => fault !== undefined).length === 1,
    'give one of double, holdMs and reverse',
  )
  // The carrier pushes ten at a time; more could never be held back together.
  .refine(({ reverse, count: many }) => reverse === undefined || many <= 10, 'reverse takes a count of up to 10');

export const faultsRequest = z
  .strictObject({ answers: answerFault.optional(), deliveries: deliveryFault.optional() })
  .refine(({ answers, deliveries }) => (answers ?? deliveries) !== undefined, 'give answers or deliveries');

export const tokensRequest = z.strictObject({ accessTokens: z.array(z.string().min(1)) });

export type AnswerFault = z.output<typeof answerFault>;
export type DeliveryFault = z.output<typeof deliveryFault>;
