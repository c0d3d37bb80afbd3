import * as z from '../../domain/schema.ts';

/** Why a call was not carried out. Clients depend on the codes. */
export const PROBLEM_CODES = [
  'INVALID_REQUEST',
  'INVALID_CURSOR',
  'CONTACT_NOT_FOUND',
  'CUSTOMER_NOT_FOUND',
  'CUSTOMER_SHARED',
  'MESSAGE_NOT_FOUND',
  'SEND_NOT_FOUND',
  'ERASURE_NOT_FOUND',
  'DEAD_LETTER_NOT_FOUND',
  'QUEUE_NOT_FOUND',
  'REQUEST_ID_REUSED',
  'NOT_RESOLVABLE',
  'NOT_CANCELLABLE',
  'PROBE_IN_FLIGHT',
  'NOT_OVERDUE',
  'HANDOVERS_OFF',
  'INVALID_CHANNEL',
  'CHAT_SERVICE_FAILED',
  'INTERNAL',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** A route's answer, before it becomes an HTTP response. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });

/** Answers a call whose work continues in the background. */
export const accepted = (body: unknown): Answer => ({ status: 202, body });

export const problem = (status: 400 | 404 | 409 | 500 | 502, code: ProblemCode, message: string): Answer => ({
  status,
  body: { code, message },
});

export const invalidRequest = (explanation: string): Answer => problem(400, 'INVALID_REQUEST', explanation);

export const problemResponse = z.object({
  code: z.string(),
  /** What is wrong and how to fix it. */
  message: z.string(),
});
