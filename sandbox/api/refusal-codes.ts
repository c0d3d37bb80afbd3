import type { Refusal } from '../service/refusal.ts';

/**
 * The HTTP status and the code of each refusal.
 *
 * 101, 201 and the HTTP status of 101 are the contract's ("Errors"). 304 is the code that the field notes have for an
 * unknown channel; they saw it with HTTP 200 and `problems`, which a fault can play. The HTTP status of 201 and all
 * else are shown nowhere: they are the sandbox's choice, and will not change.
 */
export const REFUSAL_CODES = {
  INSUFFICIENT_CREDIT: { status: 403, code: 101 },
  WINDOW_CLOSED: { status: 403, code: 201 },
  NOT_ON_PLATFORM: { status: 422, code: 202 },
  NO_OPT_IN: { status: 403, code: 203 },
  ACCOUNT_NOT_APPROVED: { status: 403, code: 301 },
  INVALID_CHANNEL: { status: 422, code: 304 },
  UNKNOWN_RULE: { status: 422, code: 601 },
  RULE_NOT_APPROVED: { status: 403, code: 602 },
  MISSING_VARIABLE: { status: 400, code: 603 },
  NO_APPROVED_REASON: { status: 403, code: 604 },
  MEDIA_UNSUPPORTED: { status: 400, code: 701 },
} as const satisfies Record<Refusal['reason'], { status: 400 | 403 | 422; code: number }>;
