import * as z from './schema.ts';

/** The raw result of a call to the chat service. */
export type ChatServiceAnswer =
  /** An HTTP response; `body` is the parsed JSON, or undefined if it is not JSON. */
  | { readonly kind: 'answered'; readonly httpStatus: number; readonly body: unknown; readonly retryAfter?: string }
  /** No part of the request was written, for example because the connection was refused or TLS failed. */
  | { readonly kind: 'not-sent'; readonly cause: string }
  /** The request was written, at least in part, and no answer arrived, for example because of a timeout or a reset. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** What an answer means for the send. */
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

/** Why a call had no effect and may be retried: no credit, a refused token, or an unavailable service. */
export type NotDoneCause = 'no-credit' | 'token' | 'unavailable';

/** The contract's Errors: 101 "Insufficient credit", 201 "User window is over 24 hours". */
const INSUFFICIENT_CREDIT = 101;
const WINDOW_CLOSED = 201;

/** How much of the chat service's error text the table stores. */
const MAX_EXPLANATION_CHARACTERS = 500;
/** A longer id cannot be a table key, so it is treated as missing. */
const MAX_ID_BYTES = 1024;

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
      z.refine((id) => id.isWellFormed() && Buffer.byteLength(id) <= MAX_ID_BYTES),
    ),
  ),
);
const answerBody = z.object({
  id: z.catch(z.optional(messageId), undefined),
  problems: z.catch(z.nullish(problem), undefined),
  error: z.catch(z.nullish(problem), undefined),
});

/**
 * Interprets a sending endpoint's answer. The code in the body takes precedence over the HTTP status: an HTTP 200 can
 * be a failure, and the contract does not show the status of error 201.
 */
export const sendOutcome = (answer: ChatServiceAnswer): SendOutcome => {
  if (answer.kind === 'not-sent') return { kind: 'not-done', cause: 'unavailable', explanation: answer.cause };
  if (answer.kind === 'unknown') return { kind: 'uncertain', explanation: answer.cause };
  const { httpStatus, retryAfter } = answer;
  const parsed = z.safeParse(answerBody, answer.body);
  const fault = parsed.success ? (faultOf(parsed.data.error) ?? faultOf(parsed.data.problems)) : undefined;
  const explanation = explain(httpStatus, fault);
  if (fault?.code === WINDOW_CLOSED) return { kind: 'window-closed' };
  if (fault?.code === INSUFFICIENT_CREDIT) return { kind: 'not-done', cause: 'no-credit', explanation, retryAfter };
  if (httpStatus >= 200 && httpStatus < 300) {
    if (fault) return { kind: 'rejected', code: fault.code, explanation };
    return parsed.success && parsed.data.id
      ? { kind: 'accepted', messageId: parsed.data.id }
      : { kind: 'uncertain', explanation: `${explanation}, without a readable id` };
  }
  if (httpStatus === 401) return { kind: 'not-done', cause: 'token', explanation };
  if (httpStatus === 429 || httpStatus === 503) {
    return { kind: 'not-done', cause: 'unavailable', explanation, retryAfter };
  }
  // Redirects are not followed, because they could take the token elsewhere. All but 303 mean that the call was not
  // made.
  if (httpStatus >= 300 && httpStatus < 400 && httpStatus !== 303) {
    const why = `${explanation}: a redirect, which Parley does not follow; set chatService.baseUrl to its target`;
    return { kind: 'not-done', cause: 'unavailable', explanation: why };
  }
  if (httpStatus >= 400 && httpStatus < 500) return { kind: 'rejected', code: fault?.code, explanation };
  return { kind: 'uncertain', explanation };
};

type Problem = z.output<typeof problem>;

/** An object with neither a code nor a message is not a fault. */
const faultOf = (given: Problem | null | undefined): Problem | undefined =>
  given && (given.code !== undefined || given.message !== undefined) ? given : undefined;

const explain = (httpStatus: number, fault: Problem | undefined): string =>
  (fault ? `HTTP ${httpStatus}, code ${fault.code}: ${fault.message}` : `HTTP ${httpStatus}`)
    .toWellFormed()
    .slice(0, MAX_EXPLANATION_CHARACTERS)
    .toWellFormed();
