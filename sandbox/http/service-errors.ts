import type { Context } from 'hono';
import type { Refusal } from '../service/model.ts';
import { phoneDigits } from '../service/users.ts';
import { errorBody } from './read-request.ts';

/**
 * The HTTP status and the code of each refusal.
 *
 * 101, 201 and the HTTP status of 101 are from the contract ("Errors"). 304 is the field notes' code for an unknown
 * channel; in a contact check it comes with HTTP 200, see {@link invalidChannelProblems}. The HTTP status of 201 and
 * everything else is the sandbox's choice and will not change.
 */
export const SERVICE_ERRORS = {
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

/** Answers a refused request. */
export const refusalAnswer = (context: Context, refusal: Refusal): Response => {
  const { status, code } = SERVICE_ERRORS[refusal.reason];
  return context.json(errorBody(code, refusalMessage(refusal)), status);
};

/** Returns the `problems` of a contact check from a number that is not the business's own, in real services' words. */
export const invalidChannelProblems = (valid: readonly string[]) => ({
  code: SERVICE_ERRORS.INVALID_CHANNEL.code,
  message: `Invalid channel. Valid channels are [${valid.map(phoneDigits).join(', ')}]`,
});

/** Returns the message of a refusal; those of 101 and 201 are the contract's ("Errors"). */
export const refusalMessage = (refusal: Refusal): string => {
  switch (refusal.reason) {
    case 'INSUFFICIENT_CREDIT':
      return 'Insufficient credit';
    case 'WINDOW_CLOSED':
      return 'User window is over 24 hours';
    case 'INVALID_CHANNEL': {
      const { chatChannelNumber, chatPlatform } = refusal;
      return `Invalid channel: ${chatChannelNumber}${chatPlatform === undefined ? '' : ` on ${chatPlatform}`}.`;
    }
    case 'NOT_ON_PLATFORM':
      return `The user ${refusal.contact} is not on the platform.`;
    case 'UNKNOWN_RULE':
      return `Rule or template "${refusal.ruleNameOrId}" does not exist.`;
    case 'RULE_NOT_APPROVED':
      return `The template "${refusal.ruleName}" is not approved; outside the 24-hour window, send an approved one.`;
    case 'NO_APPROVED_REASON':
      return `The rule "${refusal.ruleName}" has no approved reason; set its category to the reason for writing first.`;
    case 'ACCOUNT_NOT_APPROVED':
      return 'The account is not approved yet; until then it can only answer users who wrote to it.';
    case 'NO_OPT_IN':
      return `The user ${refusal.contact} gave no opt-in and never wrote.`;
    case 'MISSING_VARIABLE':
      return `params needs a non-empty value for: ${refusal.names.join(', ')}.`;
    case 'MEDIA_UNSUPPORTED':
      return `Video and GIF are not supported: ${refusal.url}`;
  }
};
