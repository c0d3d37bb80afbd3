import { describeFaults, type Fault } from '../../domain/faults.ts';
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

/** Answers a call whose fields, query, or body is invalid. */
export const invalidRequest = (faults: readonly Fault[]): Answer => ({
  status: 400,
  body: {
    code: 'INVALID_REQUEST' satisfies ProblemCode,
    message: `Invalid request: ${describeFaults(faults)}.`,
    faults: faults.slice(0, z.MAX_ISSUES),
  },
});

/** Answers a call with one fault. */
export const invalidField = (field: string, fault: string): Answer => invalidRequest([{ field, fault }]);

export const problemResponse = z.object({
  code: z.string(),
  /** What is wrong and how to fix it. */
  message: z.string(),
  /** Of an invalid request, at most ten faults: the field, what is wrong with it, and the start of a value of the wrong form. */
  faults: z.optional(z.array(z.object({ field: z.string(), fault: z.string(), value: z.optional(z.string()) }))),
});
