import type { Contact } from './contact.ts';
import { addMs, type Instant } from './instant.ts';
import * as z from './schema.ts';
import type { ChatServiceAnswer } from './send-outcome.ts';

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
  /** Maps each requested number that is on the platform to its proper format. */
  | { readonly kind: 'checked'; readonly result: ReadonlyMap<string, string> }
  | { readonly kind: 'unavailable'; readonly explanation: string; readonly retryAfter?: string }
  /** The chat service does not offer the check for this channel or at this path. */
  | { readonly kind: 'rejected'; readonly explanation: string };

const checkResult = z.object({
  problems: z.optional(z.null()),
  error: z.optional(z.null()),
  result: z.record(z.string(), z.string()),
});

/** Interprets the answer to a contact check. The contract does not show its format; the field notes do. */
export const contactCheckOutcome = (answer: ChatServiceAnswer): ContactCheckOutcome => {
  if (answer.kind !== 'answered') return { kind: 'unavailable', explanation: answer.cause };
  const { httpStatus, body, retryAfter } = answer;
  const explanation = `The chat service answered the contact check with HTTP ${httpStatus}`;
  if (httpStatus >= 200 && httpStatus < 300) {
    const parsed = z.safeParse(checkResult, body);
    if (parsed.success) return { kind: 'checked', result: new Map(Object.entries(parsed.data.result)) };
    return { kind: 'rejected', explanation: `${explanation} and no result` };
  }
  const isTransient = httpStatus >= 500 || httpStatus === 429 || httpStatus === 401;
  return isTransient ? { kind: 'unavailable', explanation, retryAfter } : { kind: 'rejected', explanation };
};
