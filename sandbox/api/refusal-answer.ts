import type { Context } from 'hono';
import { errorForm } from '../http/error-form.ts';
import type { Refusal } from '../service/refusal.ts';

/**
 * What a refused request is answered with.
 *
 * 101 and 201 with their messages, and the HTTP status of 101, are the contract's ("Errors"). 304, a failure that
 * comes with HTTP 200, is the field notes'. The HTTP status of 201 and the codes above 304 are shown nowhere: they
 * are the sandbox's choice, and will not change.
 */
export const refusalAnswer = (context: Context, refusal: Refusal): Response => {
  switch (refusal.reason) {
    case 'INSUFFICIENT_CREDIT':
      return context.json(errorForm(101, 'Insufficient credit'), 403);
    case 'WINDOW_CLOSED':
      return context.json(errorForm(201, 'User window is over 24 hours'), 403);
    case 'INVALID_CHANNEL':
      return context.json({ problems: { code: 304, message: channelMessage(refusal) }, result: {} });
    case 'NOT_ON_PLATFORM':
      return context.json(errorForm(202, `The user ${refusal.contact} is not on the platform.`), 422);
    case 'UNKNOWN_RULE':
      return context.json(errorForm(601, `There is no rule or template "${refusal.ruleNameOrId}".`), 422);
    case 'RULE_NOT_APPROVED': {
      const remedy = 'outside the 24-hour window only an approved one can be sent';
      return context.json(errorForm(602, `The template "${refusal.ruleName}" is not approved; ${remedy}.`), 403);
    }
    case 'MISSING_VARIABLE':
      return context.json(errorForm(603, `params lacks a value for: ${refusal.names.join(', ')}.`), 400);
    case 'MEDIA_UNSUPPORTED':
      return context.json(errorForm(701, `Video and GIF are not supported: ${refusal.url}`), 400);
  }
};

const channelMessage = (refusal: Extract<Refusal, { reason: 'INVALID_CHANNEL' }>): string =>
  refusal.chatPlatform === undefined
    ? `Invalid channel: ${refusal.chatChannelNumber}`
    : `Invalid channel: ${refusal.chatChannelNumber} on ${refusal.chatPlatform}`;
