import type { Contact } from './contact.ts';
import { addMs, type Instant } from './instant.ts';
import * as z from './schema.ts';
import type { ChatServiceAnswer } from './send-outcome.ts';

/** Whether numbers are checked on the platform before a template opens a conversation. */
export const CONTACT_CHECKS = ['off', 'beforeFirstTemplate'] as const;
export type ContactCheckMode = (typeof CONTACT_CHECKS)[number];

/** What the service's contact check said of one number. */
export interface CheckedContact {
  readonly checkedAt: Instant;
  /** The number's proper format; undefined where it is not on the platform. */
  readonly checkedAddress?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** People rarely leave a platform, and numbers change hands slowly. */
const PRESENT_FOR_MS = 30 * DAY_MS;
/** Whoever was not there yesterday may have come. */
const ABSENT_FOR_MS = DAY_MS;

/** Whether a contact is to be checked before a template: not checked lately, and not heard from lately either. */
export const isCheckDue = (contact: Contact, now: Instant): boolean => {
  const { checkedAt, checkedAddress, lastInboundAt } = contact;
  if (lastInboundAt !== undefined && now < addMs(lastInboundAt, PRESENT_FOR_MS)) return false;
  if (checkedAt === undefined) return true;
  return now >= addMs(checkedAt, checkedAddress === undefined ? ABSENT_FOR_MS : PRESENT_FOR_MS);
};

/** Whether the last check found the number not on the platform, is still believed, and the user has not written since. */
export const isKnownAbsent = (contact: Contact, now: Instant): boolean => {
  const { checkedAt, checkedAddress, lastInboundAt } = contact;
  if (checkedAt === undefined || checkedAddress !== undefined) return false;
  if (lastInboundAt !== undefined && lastInboundAt > checkedAt) return false;
  return now < addMs(checkedAt, ABSENT_FOR_MS);
};

/** What a contact check's answer means. Repeating a check does no harm, so every failure but a refusal may be repeated. */
export type ContactCheckOutcome =
  /** The proper format of each number that is on the platform, by the number as asked. */
  | { readonly kind: 'checked'; readonly result: ReadonlyMap<string, string> }
  | { readonly kind: 'not-done'; readonly explanation: string; readonly retryAfter?: string }
  /** The service does not answer such questions: not for this channel, or not at this address. */
  | { readonly kind: 'refused'; readonly explanation: string };

const checked = z.object({
  problems: z.optional(z.null()),
  error: z.optional(z.null()),
  result: z.record(z.string(), z.string()),
});

/** Reads the contact check's answer; its form is the field notes', since the contract does not show it. */
export const contactCheckOutcome = (answer: ChatServiceAnswer): ContactCheckOutcome => {
  if (answer.kind !== 'answered') return { kind: 'not-done', explanation: answer.cause };
  const { httpStatus, body, retryAfter } = answer;
  const explanation = `The contact check was answered with HTTP ${httpStatus}`;
  if (httpStatus >= 200 && httpStatus < 300) {
    const read = z.safeParse(checked, body);
    if (read.success) return { kind: 'checked', result: new Map(Object.entries(read.data.result)) };
    return { kind: 'refused', explanation: `${explanation} and no result` };
  }
  const mayCome = httpStatus >= 500 || httpStatus === 429 || httpStatus === 401;
  return mayCome ? { kind: 'not-done', explanation, retryAfter } : { kind: 'refused', explanation };
};
