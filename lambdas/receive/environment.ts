import * as z from '../domain/schema.ts';
import { json, wholeNumber } from '../environment.ts';
import { webhookAuth } from './auth/webhook-auth.ts';

/** What the stack tells the function `receive`. */
export const receiveEnvironment = z.object({
  /** The conversation table. */
  TABLE_NAME: z.string(),
  /** Where a verified event waits while the table is out of reach. */
  INBOUND_QUEUE_URL: z.url(),
  /** Where an authentic event goes that cannot be read or stored. */
  INBOUND_DEAD_LETTER_QUEUE_URL: z.url(),
  /** How posts are verified: JSON of {@link webhookAuth}. */
  WEBHOOK_AUTH: json(webhookAuth),
  /** The secret with the webhook's keys; only for the kinds of auth that have one. */
  WEBHOOK_SECRET_ID: z.optional(z.string()),
  /** Whether conversation windows are kept per user or per business number and user. */
  WINDOW_PER: z.enum(['user', 'channel']),
  /** The platform of an event that names none. */
  CHAT_PLATFORM: z.string(),
  /** Days until a message is removed from the table. */
  RETENTION_DAYS: wholeNumber(1),
});

/** The variables as the stack must set them: strings all. */
export type ReceiveEnvironment = Record<
  Exclude<keyof z.input<typeof receiveEnvironment>, 'WEBHOOK_SECRET_ID'>,
  string
> & {
  WEBHOOK_SECRET_ID?: string;
};
