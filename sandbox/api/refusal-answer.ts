import type { Context } from 'hono';
import { errorForm } from '../http/error-form.ts';
import type { Refusal } from '../service/refusal.ts';

/**
 * What a refused request is answered with.
 *
 * 101 and 201 with their messages, and the HTTP status of 101, are the contract's ("Errors"). 304 is the code that the
 * field notes have for an unknown channel; they saw it with HTTP 200 and `problems`, which a fault can play. The HTTP
 * status of 201 and all else are shown nowhere: they are the sandbox's choice, and will not change.
 */
export const refusalAnswer = (context: Context, refusal: Refusal): Response => {
  switch (refusal.reason) {
    case 'INSUFFICIENT_CREDIT':
      return context.json(errorForm(101, 'Insufficient credit'), 403);
    case 'WINDOW_CLOSED':
      return context.json(errorForm(201, 'User window is over 24 hours'), 403);
    case 'INVALID_CHANNEL':
      return context.json(errorForm(304, channelMessage(refusal)), 422);
    case 'NOT_ON_PLATFORM':
      return context.json(errorForm(202, `The user ${refusal.contact} is not on the platform.`), 422);
    case 'UNKNOWN_RULE':
      return context.json(errorForm(601, `There is no rule or template "${refusal.ruleNameOrId}".`), 422);
    case 'RULE_NOT_APPROVED': {
      const remedy = 'outside the 24-hour window only an approved one can be sent';
      return context.json(errorForm(602, `The template "${refusal.ruleName}" is not approved; ${remedy}.`), 403);
    }
    case 'NO_APPROVED_REASON': {
      const remedy = 'give it a category, the reason for which the business writes first';
      return context.json(errorForm(604, `The rule "${refusal.ruleName}" has no approved reason; ${remedy}.`), 403);
    }
    case 'ACCOUNT_NOT_APPROVED':
      return context.json(
        errorForm(301, 'The account is not approved yet; until then it can only answer users who wrote.'),
        403,
      );
    case 'NO_OPT_IN':
      return context.json(errorForm(203, `The user ${refusal.contact} gave no opt-in and never wrote.`), 403);
    case 'MISSING_VARIABLE':
      return context.json(errorForm(603, `params lacks a value for: ${refusal.names.join(', ')}.`), 400);
    case 'MEDIA_UNSUPPORTED':
      return context.json(errorForm(701, `Video and GIF are not supported: ${refusal.url}`), 400);
  }
};

const channelMessage = (refusal: Extract<Refusal, { reason: 'INVALID_CHANNEL' }>): string =>
  refusal.chatPlatform === undefined
    ? `Invalid channel: ${refusal.chatChannelNumber}.`
    : `Invalid channel: ${refusal.chatChannelNumber} on ${refusal.chatPlatform}.`;
