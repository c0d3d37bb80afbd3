import { CONTACT_CHECKS } from '../domain/contact-check.ts';
import * as z from '../domain/schema.ts';
import { CLIENT_PAYLOADS } from '../domain/send-decision.ts';
import { templateReference } from '../domain/send-request.ts';
import { NUMBER_FORMATS } from '../domain/wire-number.ts';
import { json, wholeNumber } from '../environment.ts';

/** What the stack tells the function `send`. */
export const sendEnvironment = z.object({
  /** The conversation table. */
  TABLE_NAME: z.string(),
  /** The queue that feeds the function; a request that must wait has its visibility changed there. */
  SEND_QUEUE_URL: z.url(),
  /** Where a request goes that is malformed or that the chat service rejected. */
  SEND_DEAD_LETTER_QUEUE_URL: z.url(),
  /** The secret whose string is the chat service's access token. */
  ACCESS_TOKEN_SECRET_ID: z.string(),
  /** The chat service's base address, without a trailing slash. */
  CHAT_SERVICE_URL: z.url(),
  /** The platform and the business's own number of a request that names none. */
  CHAT_PLATFORM: z.string(),
  CHAT_CHANNEL_NUMBER: z.string(),
  /** Whether conversation windows are kept per user or per business number and user. */
  WINDOW_PER: z.enum(['user', 'channel']),
  /** How long before its 24 hours end a conversation window counts as closed. */
  WINDOW_MARGIN_SECONDS: wholeNumber(0),
  /** What is sent when a free-form request meets a closed window: JSON of {@link templateReference}; unset for none. */
  DEFAULT_TEMPLATE: z.optional(json(templateReference)),
  /** How phone numbers are written in calls. */
  NUMBER_FORMAT: z.enum(NUMBER_FORMATS),
  /** Which calls carry the request's id as the client's own reference. */
  CLIENT_PAYLOAD: z.enum(CLIENT_PAYLOADS),
  /** Whether a number is checked on the platform before a template opens a conversation. */
  CONTACT_CHECK: z.enum(CONTACT_CHECKS),
  /** The contact check's address behind `/api/v1.0/`; its segment carries the platform's name. */
  CONTACT_CHECK_PATH: z.string(),
  /** How long a claim is respected: longer than the function can live. */
  CLAIM_LEASE_SECONDS: wholeNumber(1),
  /** The schedule group that holds the alarms of scheduled sends, the role that rings them, and where a lost one goes. */
  SCHEDULE_GROUP_NAME: z.string(),
  SCHEDULE_ROLE_ARN: z.string(),
  SCHEDULE_DEAD_LETTER_QUEUE_ARN: z.string(),
  /** Days until a send and its message are removed from the table. */
  RETENTION_DAYS: wholeNumber(1),
});

/** The variables as the stack must set them: strings all. */
export type SendEnvironment = Record<Exclude<keyof z.input<typeof sendEnvironment>, 'DEFAULT_TEMPLATE'>, string> & {
  DEFAULT_TEMPLATE?: string;
};
