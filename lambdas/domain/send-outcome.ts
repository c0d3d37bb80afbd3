import {
  type CallFault,
  codeOf,
  detailsOf,
  explain,
  type Fault,
  INSUFFICIENT_CREDIT,
  readFault,
} from './call-fault.ts';
import * as z from './schema.ts';

/** The chat service's two sending endpoints. */
export type SendEndpoint = 'message/v3' | 'intent/v2';

/** The raw result of a call to the chat service. */
export type ChatServiceAnswer =
  /** An HTTP response; `body` is the parsed JSON, or undefined if it is not JSON. */
  | {
      readonly kind: 'answered';
      readonly httpStatus: number;
      readonly body: unknown;
      readonly retryAfter?: string;
      /** Why the service refused the access token: without the token, but otherwise as the service wrote it. */
      readonly tokenRefusal?: string;
    }
  /** No part of the request was written, for example because the connection was refused or TLS failed. */
  | { readonly kind: 'not-sent'; readonly cause: string }
  /** The request was written, at least in part, and no answer arrived, for example because of a timeout or a reset. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** What an answer means for the send. */
export type SendOutcome =
  /** A request may be accepted without a message id; a status can add it later. */
  | ({ readonly kind: 'accepted'; readonly messageId?: string } & TransactionIds)
  | { readonly kind: 'window-closed' }
  | ({ readonly kind: 'rejected'; readonly code?: number } & CallFault)
  | ({ readonly kind: 'not-done'; readonly cause: NotDoneCause; readonly retryAfter?: string } & CallFault)
  | ({
      readonly kind: 'uncertain';
      /** The service answered with a 2xx, so the message was probably sent and must not be resent. */
      readonly isAnswered: boolean;
    } & CallFault &
      TransactionIds);

/** The ids of the job that the service makes of a request. Later events name the message together with one of them. */
interface TransactionIds {
  /** @default none */
  readonly transactionIds?: readonly string[];
}

/**
 * Why a call had no effect and may be retried: no credit, a refused token, an unavailable service, or a refusal by
 * something other than the service, such as a firewall.
 */
export type NotDoneCause = 'no-credit' | 'token' | 'unavailable' | 'blocked';

/** The contract's Errors: 201 "User window is over 24 hours". */
const WINDOW_CLOSED_ERROR = 201;
const messageId = z.pipe(
  z.union([z.string(), z.int()]),
  z.pipe(
    z.transform(String),
    z.string().check(
      z.minLength(1),
      // A longer id cannot be a table key, so it is treated as missing.
      z.refine((id) => id.isWellFormed() && Buffer.byteLength(id) <= z.MAX_ID_BYTES),
    ),
  ),
);
const lenientId = z.catch(z.optional(messageId), undefined);
const answerBody = z.object({
  id: lenientId,
  /** The names of the job's id. */
  webhookNotificationId: lenientId,
  requestId: lenientId,
  txId: lenientId,
  intentTxId: lenientId,
  problems: z.optional(z.unknown()),
  error: z.optional(z.unknown()),
  errors: z.optional(z.unknown()),
});

/**
 * Interprets a sending endpoint's answer. The code in the body takes precedence over the HTTP status: an HTTP 200 can
 * be a failure, and the contract does not show the status of error 201.
 */
export const sendOutcome = (endpoint: SendEndpoint, answer: ChatServiceAnswer): SendOutcome => {
  if (answer.kind === 'not-sent') return { kind: 'not-done', cause: 'unavailable', explanation: answer.cause };
  if (answer.kind === 'unknown') return { kind: 'uncertain', explanation: answer.cause, isAnswered: false };
  const { httpStatus, retryAfter } = answer;
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const { id, transactionIds, fault, problem } = readBody(answer.body);
  const explanation = explain(answer, fault);
  const details = detailsOf(isSuccess ? problem : fault);
  const transactions = transactionIds.length === 0 ? {} : { transactionIds };
  if (isSuccess) {
    if (id !== undefined || transactionIds.length > 0) {
      return problem
        ? {
            kind: 'uncertain',
            explanation: `${explanation}, with an id and a problem`,
            ...details,
            ...transactions,
            isAnswered: true,
          }
        : { kind: 'accepted', ...(id !== undefined && { messageId: id }), ...transactions };
    }
    if (!problem) {
      // The contract shows no response body for intent/v2.
      return endpoint === 'intent/v2' && answer.body !== undefined
        ? { kind: 'accepted' }
        : { kind: 'uncertain', explanation: `${explanation}, without a readable id`, isAnswered: true };
    }
  }
  if (fault?.code === WINDOW_CLOSED_ERROR) return { kind: 'window-closed' };
  if (fault?.code === INSUFFICIENT_CREDIT)
    return { kind: 'not-done', cause: 'no-credit', explanation, ...details, retryAfter };
  if (isSuccess) return { kind: 'rejected', code: codeOf(fault), explanation, ...details };
  if (httpStatus === 401) return { kind: 'not-done', cause: 'token', explanation, ...details };
  if (httpStatus === 429 || httpStatus === 503) {
    return { kind: 'not-done', cause: 'unavailable', explanation, ...details, retryAfter };
  }
  // Redirects are not followed, because they could take the token elsewhere. All but 303 mean that the call was not
  // made.
  if (httpStatus >= 300 && httpStatus < 400 && httpStatus !== 303) {
    const why = `${explanation}: a redirect, which Parley does not follow; set chatService.baseUrl to its target`;
    return { kind: 'not-done', cause: 'unavailable', explanation: why, ...details };
  }
  if (httpStatus >= 400 && httpStatus < 500) {
    return fault
      ? { kind: 'rejected', code: codeOf(fault), explanation, ...details }
      : { kind: 'not-done', cause: 'blocked', explanation: `${explanation}, without the chat service's error body` };
  }
  return { kind: 'uncertain', explanation, ...details, ...transactions, isAnswered: false };
};

interface AnswerBody {
  readonly id?: string;
  readonly transactionIds: readonly string[];
  /** What the answer says in the contract's terms about why the call failed. */
  readonly fault?: Fault;
  /** The fault, or anything else that is given as one. With a success status, this alone shows that the call failed. */
  readonly problem?: Fault;
}

const readBody = (body: unknown): AnswerBody => {
  const parsed = z.safeParse(answerBody, body);
  if (!parsed.success) return { transactionIds: [] };
  const { id, webhookNotificationId, requestId, txId, intentTxId, error, problems, errors } = parsed.data;
  const transactionIds = [webhookNotificationId, requestId, txId, intentTxId].filter((each) => each !== undefined);
  const given = [error, problems, errors].flat().filter((value) => !isEmpty(value));
  const fault = readFault(given);
  return {
    id,
    transactionIds: [...new Set(transactionIds)],
    fault,
    problem: fault ?? (given.length === 0 ? undefined : { message: given.map(textOf).join('; ') }),
  };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whether a field for problems contains none: it is null, false, 0, or an empty string, list, or object. */
const isEmpty = (value: unknown): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0);
