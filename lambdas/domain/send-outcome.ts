import * as z from './schema.ts';

/** What came of a call to the chat service, before anybody has judged it. */
export type ChatServiceAnswer =
  /** An HTTP answer; `body` is the parsed JSON, or undefined where it is none. */
  | { readonly kind: 'answered'; readonly httpStatus: number; readonly body: unknown; readonly retryAfter?: string }
  /** Nothing of the request was written: refused or unresolved connection, TLS failure. */
  | { readonly kind: 'not-sent'; readonly cause: string }
  /** The request, or part of it, was written and no answer came: time-out, reset. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** What a call's answer means for the send. */
export type SendOutcome =
  | { readonly kind: 'accepted'; readonly messageId: string }
  | { readonly kind: 'window-closed' }
  | { readonly kind: 'rejected'; readonly code?: number; readonly explanation: string }
  | {
      readonly kind: 'not-done';
      readonly cause: NotDoneCause;
      readonly explanation: string;
      readonly retryAfter?: string;
    }
  | { readonly kind: 'uncertain'; readonly explanation: string };

/** Why a call was not done and may be tried again: no credit, a refused token, or a service out of reach. */
export type NotDoneCause = 'no-credit' | 'token' | 'unavailable';

/** The contract's Errors: 101 "Insufficient credit", 201 "User window is over 24 hours". */
const INSUFFICIENT_CREDIT = 101;
const WINDOW_CLOSED = 201;

/** What the table keeps of the service's words. */
const MOST_CHARACTERS = 500;
/** Longer ids cannot be a table's key; whoever sent such a one is not understood. */
const MOST_ID_BYTES = 1024;

const numberOrDigits = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^\d{1,9}$/))]),
  z.transform((code) => Number(code)),
);
const problem = z.object({
  code: z.catch(z.optional(numberOrDigits), undefined),
  message: z.catch(z.optional(z.string()), undefined),
});
const messageId = z.pipe(
  z.union([z.string(), z.int()]),
  z.pipe(
    z.transform(String),
    z.string().check(
      z.minLength(1),
      z.refine((id) => id.isWellFormed() && Buffer.byteLength(id) <= MOST_ID_BYTES),
    ),
  ),
);
const wireAnswer = z.object({
  id: z.catch(z.optional(messageId), undefined),
  problems: z.catch(z.nullish(problem), undefined),
  error: z.catch(z.nullish(problem), undefined),
});

/**
 * Reads a sending endpoint's answer. The code in the body counts before the HTTP status: an HTTP 200 can be a failure,
 * and the status of error 201 is not shown in the contract.
 */
export const sendOutcome = (answer: ChatServiceAnswer): SendOutcome => {
  if (answer.kind === 'not-sent') return { kind: 'not-done', cause: 'unavailable', explanation: answer.cause };
  if (answer.kind === 'unknown') return { kind: 'uncertain', explanation: answer.cause };
  const { httpStatus, retryAfter } = answer;
  const read = z.safeParse(wireAnswer, answer.body);
  const fault = read.success ? (faultOf(read.data.error) ?? faultOf(read.data.problems)) : undefined;
  const explanation = explain(httpStatus, fault);
  if (fault?.code === WINDOW_CLOSED) return { kind: 'window-closed' };
  if (fault?.code === INSUFFICIENT_CREDIT) return { kind: 'not-done', cause: 'no-credit', explanation, retryAfter };
  if (httpStatus >= 200 && httpStatus < 300) {
    if (fault) return { kind: 'rejected', code: fault.code, explanation };
    return read.success && read.data.id
      ? { kind: 'accepted', messageId: read.data.id }
      : { kind: 'uncertain', explanation: `${explanation}, without a readable id` };
  }
  if (httpStatus === 401) return { kind: 'not-done', cause: 'token', explanation };
  if (httpStatus === 429 || httpStatus === 503)
    return { kind: 'not-done', cause: 'unavailable', explanation, retryAfter };
  // A redirect is not followed: it could take the token elsewhere. But for 303, it says that the call is still to be made.
  if (httpStatus >= 300 && httpStatus < 400 && httpStatus !== 303) {
    const why = `${explanation}: a redirect, which is not followed; set chatService.baseUrl to where it leads`;
    return { kind: 'not-done', cause: 'unavailable', explanation: why };
  }
  if (httpStatus >= 400 && httpStatus < 500) return { kind: 'rejected', code: fault?.code, explanation };
  return { kind: 'uncertain', explanation };
};

type Problem = z.output<typeof problem>;

/** An object that says nothing is no fault. */
const faultOf = (told: Problem | null | undefined): Problem | undefined =>
  told && (told.code !== undefined || told.message !== undefined) ? told : undefined;

const explain = (httpStatus: number, fault: Problem | undefined): string =>
  (fault ? `HTTP ${httpStatus}, code ${fault.code}: ${fault.message}` : `HTTP ${httpStatus}`)
    .toWellFormed()
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();
