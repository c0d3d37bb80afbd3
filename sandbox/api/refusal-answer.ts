import type { Context } from 'hono';
import { errorForm } from '../http/error-form.ts';
import type { Refusal } from '../service/refusal.ts';
import { REFUSAL_CODES } from './refusal-codes.ts';

/** What a refused request is answered with. */
export const refusalAnswer = (context: Context, refusal: Refusal): Response => {
  const { status, code } = REFUSAL_CODES[refusal.reason];
  return context.json(errorForm(code, refusalMessage(refusal)), status);
};

/** What the answer says of a refusal; the messages of 101 and 201 are the contract's ("Errors"). */
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
      return `There is no rule or template "${refusal.ruleNameOrId}".`;
    case 'RULE_NOT_APPROVED':
      return `The template "${refusal.ruleName}" is not approved; outside the 24-hour window only an approved one can be sent.`;
    case 'NO_APPROVED_REASON':
      return `The rule "${refusal.ruleName}" has no approved reason; give it a category, the reason for which the business writes first.`;
    case 'ACCOUNT_NOT_APPROVED':
      return 'The account is not approved yet; until then it can only answer users who wrote.';
    case 'NO_OPT_IN':
      return `The user ${refusal.contact} gave no opt-in and never wrote.`;
    case 'MISSING_VARIABLE':
      return `params lacks a value for: ${refusal.names.join(', ')}.`;
    case 'MEDIA_UNSUPPORTED':
      return `Video and GIF are not supported: ${refusal.url}`;
  }
};
