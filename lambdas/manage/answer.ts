/** Why a call is not done. */
export type ProblemCode =
  | 'INVALID_REQUEST'
  | 'INVALID_CURSOR'
  | 'CONTACT_NOT_FOUND'
  | 'MESSAGE_NOT_FOUND'
  | 'SEND_NOT_FOUND'
  | 'ERASURE_NOT_FOUND'
  | 'REQUEST_ID_REUSED'
  | 'NOT_SETTLEABLE'
  | 'NOT_CANCELLABLE'
  | 'CHAT_SERVICE_FAILED'
  | 'INTERNAL';

/** What a route answers, before it is HTTP. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });

/** Taken on, and done later. */
export const accepted = (body: unknown): Answer => ({ status: 202, body });

export const problem = (status: 400 | 404 | 409 | 500 | 502, code: ProblemCode, message: string): Answer => ({
  status,
  body: { code, message },
});
