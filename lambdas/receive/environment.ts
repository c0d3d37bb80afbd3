import { WINDOW_SCOPES } from '../domain/contact.ts';
import * as z from '../domain/schema.ts';
import { json, wholeNumber } from '../runtime/environment.ts';
import { webhookAuth } from './auth/webhook-auth.ts';

/** The environment of the function `receive`. */
export const receiveEnvironment = z.object({
  /** The conversation table. */
  TABLE_NAME: z.string(),
  /** Where verified events wait while the table is unavailable. */
  INBOUND_QUEUE_URL: z.url(),
  /** Where authentic events go that cannot be parsed or stored. */
  INBOUND_DEAD_LETTER_QUEUE_URL: z.url(),
  /** How webhook requests are verified: JSON of {@link webhookAuth}. */
  WEBHOOK_AUTH: json(webhookAuth),
  /** The secret with the webhook's secrets or tokens, for the kinds of authentication that have one. */
  WEBHOOK_SECRET_ID: z.optional(z.string()),
  /** Whether conversation windows are kept per user, or per user and business number. */
  WINDOW_PER: z.enum(WINDOW_SCOPES),
  /** The platform of an event that names none. */
  CHAT_PLATFORM: z.string(),
  /** Days until a message expires. */
  RETENTION_DAYS: wholeNumber(1),
});

/** The variables as the stack sets them. */
export type ReceiveEnvironment = Record<
  Exclude<keyof z.input<typeof receiveEnvironment>, 'WEBHOOK_SECRET_ID'>,
  string
> & {
  WEBHOOK_SECRET_ID?: string;
};
