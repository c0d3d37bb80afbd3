import { CONTACT_CHECKS } from '../domain/contact-check.ts';
import type { SendRules } from '../domain/decision.ts';
import { toMs } from '../domain/duration.ts';
import * as z from '../domain/schema.ts';
import { NUMBER_FORMATS } from '../domain/send-call.ts';
import { APPROVED_REASONS, templateReference } from '../domain/send-request.ts';
import { json, type Variables, wholeSeconds } from './environment.ts';

/** The variables of the rules by which `send` decides, and `manage` says what it would decide. */
export const sendRulesShape = {
  /** The default platform and business number of requests. */
  CHAT_PLATFORM: z.string(),
  CHAT_CHANNEL_NUMBER: z.string(),
  /** How long before the end of its 24 hours a conversation window counts as closed. */
  WINDOW_MARGIN_SECONDS: wholeSeconds(0),
  /** The template to send if a free-form request finds the window closed: {@link templateReference} as JSON. */
  DEFAULT_TEMPLATE: z.optional(json(templateReference)),
  /** How phone numbers are written in calls. */
  NUMBER_FORMAT: z.enum(NUMBER_FORMATS),
  /** Whether to check that a number is on the platform before a template opens a conversation. */
  CONTACT_CHECK: z.enum(CONTACT_CHECKS),
  /** The names of the variables of known templates, by the template's name. @default none */
  TEMPLATES: z.optional(json(z.record(z.string(), z.array(z.string())))),
  /** How the stage knows what operators do: as JSON. @default not at all */
  OPERATORS: z.optional(json(z.object({ echoes: z.boolean() }))),
  /** The reasons that an opt-out does not block: a JSON list. */
  OPT_OUT_EXEMPT_REASONS: json(z.array(z.enum(APPROVED_REASONS))),
};

type SendRulesSchema = z.ZodMiniObject<typeof sendRulesShape>;

export type SendRulesEnvironment = Variables<SendRulesSchema>;

/** What only the function `send` needs: a preview says neither the reference of a call nor the text of a confirmation. */
type SentRules = Pick<SendRules, 'clientPayload' | 'optOutConfirmation'>;

export const sendRulesOf = (environment: z.output<SendRulesSchema>, sent: SentRules): SendRules => ({
  ...sent,
  chatPlatform: environment.CHAT_PLATFORM,
  chatChannelNumber: environment.CHAT_CHANNEL_NUMBER,
  windowMarginMs: toMs(environment.WINDOW_MARGIN_SECONDS),
  defaultTemplate: environment.DEFAULT_TEMPLATE,
  numberFormat: environment.NUMBER_FORMAT,
  contactCheck: environment.CONTACT_CHECK,
  templates: environment.TEMPLATES,
  operators: environment.OPERATORS,
  optOutExemptReasons: environment.OPT_OUT_EXEMPT_REASONS,
});
