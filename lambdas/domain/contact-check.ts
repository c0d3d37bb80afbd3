import type { Contact } from './contact.ts';
import { addMs, type Instant } from './instant.ts';
import * as z from './schema.ts';
import { type ChatServiceAnswer, type SendOutcome, sendOutcome } from './send-outcome.ts';

/** Whether numbers are checked on the platform before a template opens a conversation. */
export const CONTACT_CHECKS = ['off', 'beforeFirstTemplate'] as const;
export type ContactCheckMode = (typeof CONTACT_CHECKS)[number];

/** The result of the contact check for one number. */
export interface CheckedContact {
  readonly checkedAt: Instant;
  /** The number's proper format; undefined if the number is not on the platform. */
  readonly checkedAddress?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Users rarely leave a platform, and phone numbers rarely change hands. */
const PRESENT_FOR_MS = 30 * DAY_MS;
/** A number that was absent yesterday may have joined since. */
const ABSENT_FOR_MS = DAY_MS;

/** Whether to check a contact before sending a template: it has neither been checked nor written to us recently. */
export const isCheckDue = (contact: Contact, now: Instant): boolean => {
  const { checkedAt, checkedAddress, lastInboundAt } = contact;
  if (lastInboundAt !== undefined && now < addMs(lastInboundAt, PRESENT_FOR_MS)) return false;
  if (checkedAt === undefined) return true;
  return now >= addMs(checkedAt, checkedAddress === undefined ? ABSENT_FOR_MS : PRESENT_FOR_MS);
};

/** Whether a recent check found the number absent from the platform and the user has not written since. */
export const isKnownAbsent = (contact: Contact, now: Instant): boolean => {
  const { checkedAt, checkedAddress, lastInboundAt } = contact;
  if (checkedAt === undefined || checkedAddress !== undefined) return false;
  if (lastInboundAt !== undefined && lastInboundAt > checkedAt) return false;
  return now < addMs(checkedAt, ABSENT_FOR_MS);
};

/** What the answer to a contact check means. A check changes nothing, so anything but a rejection may be retried. */
export type ContactCheckOutcome =
  /** Maps the digits of each requested number that is on the platform to its proper format. */
  | {
      readonly kind: 'checked';
      readonly result: ReadonlyMap<string, string>;
      /** Whether the whole result can be interpreted, so that a missing number is not on the platform. */
      readonly isComplete: boolean;
    }
  /** `failure` is the outcome that the answer would have for a send. It may open the circuit breaker. */
  | { readonly kind: 'unavailable'; readonly failure: SendFailure; readonly retryAfter?: string }
  /**
   * The chat service does not offer the check for this channel or at this path, or its answer cannot be interpreted.
   */
  | { readonly kind: 'rejected'; readonly code?: number; readonly explanation: string };

type SendFailure = Extract<SendOutcome, { kind: 'not-done' | 'uncertain' }>;

const checkResult = z.object({
  problems: z.optional(z.null()),
  error: z.optional(z.null()),
  result: z.record(z.string(), z.unknown()),
});

/** Returns the digits of a phone number. Contact checks compare numbers by their digits. */
export const digitsOf = (number: string): string => number.replace(/\D/g, '');

const PROPER_FORMAT = /^\+?\d{6,15}$/;

/**
 * Interprets the answer to a contact check. The contract does not show its format; the field notes do.
 *
 * @param numbers the numbers that were checked
 */
export const contactCheckOutcome = (answer: ChatServiceAnswer, numbers: readonly string[]): ContactCheckOutcome => {
  // Any other answer is interpreted as it would be for a send.
  const outcome = sendOutcome('message/v3', answer);
  if (answer.kind !== 'answered') return { kind: 'unavailable', failure: failureOf(outcome, answer.cause) };
  const { httpStatus, body, retryAfter } = answer;
  const isServed = outcome.kind === 'rejected' || (outcome.kind === 'not-done' && outcome.cause !== 'blocked');
  const answered = isServed ? outcome.explanation : `HTTP ${httpStatus}`;
  const explanation = `The chat service answered the contact check with ${answered}`;
  if (httpStatus >= 200 && httpStatus < 300) {
    const parsed = z.safeParse(checkResult, body);
    if (parsed.success) return readResult(parsed.data.result, numbers, explanation);
  }
  if (httpStatus >= 500 || (outcome.kind === 'not-done' && outcome.cause !== 'blocked')) {
    return { kind: 'unavailable', failure: failureOf(outcome, explanation), retryAfter };
  }
  return outcome.kind === 'rejected'
    ? { kind: 'rejected', code: outcome.code, explanation }
    : { kind: 'rejected', explanation: `${explanation} and no result` };
};

const failureOf = (outcome: SendOutcome, explanation: string): SendFailure =>
  outcome.kind === 'not-done' ? { ...outcome, explanation } : { kind: 'uncertain', explanation, isAnswered: false };

/** An empty result means that no number is on the platform. A result with only other numbers cannot be interpreted. */
const readResult = (
  result: Readonly<Record<string, unknown>>,
  numbers: readonly string[],
  explanation: string,
): ContactCheckOutcome => {
  const asked = new Set(numbers.map(digitsOf));
  const entries = Object.entries(result);
  const answered = entries.flatMap(([number, proper]) => {
    const isUnderstood = asked.has(digitsOf(number)) && typeof proper === 'string' && PROPER_FORMAT.test(proper);
    return isUnderstood ? [[digitsOf(number), proper] as const] : [];
  });
  if (entries.length > 0 && answered.length === 0) {
    return { kind: 'rejected', explanation: `${explanation} and a result that contains none of the numbers` };
  }
  return { kind: 'checked', result: new Map(answered), isComplete: answered.length === entries.length };
};

/**
 * Whether the chat service itself answered a contact check, rather than something in front of it. These are its
 * answers: a body in one of the contract's forms; a 2xx with any JSON object, because the contract does not show the
 * check's answer; a 401; and a 404 or 405, because the check's path is a setting and may be wrong.
 */
export const isServiceAnswer = (answer: ChatServiceAnswer): boolean => {
  if (answer.kind !== 'answered') return false;
  const { httpStatus, body } = answer;
  if (httpStatus === 401 || httpStatus === 404 || httpStatus === 405) return true;
  const isObject = z.safeParse(z.record(z.string(), z.unknown()), body).success;
  return (isObject && httpStatus >= 200 && httpStatus < 300) || z.safeParse(contractBody, body).success;
};

const problem = z.object({ code: z.union([z.number(), z.string()]), message: z.string() });
const contractBody = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: problem }),
  z.object({ problems: z.union([problem, z.array(problem).check(z.minLength(1))]) }),
  z.object({ errors: z.array(z.object({ message: z.string() })).check(z.minLength(1)) }),
]);
