import { WINDOW_SCOPES } from '../domain/contact.ts';
import * as z from '../domain/schema.ts';
import { wholeNumber } from '../runtime/environment.ts';

/** The environment of the function `manage`. */
export const manageEnvironment = z.object({
  /** The conversation table. */
  TABLE_NAME: z.string(),
  /** Where send requests are queued. */
  SEND_QUEUE_URL: z.url(),
  /** Where erasures wait; the function consumes it as well. */
  ERASURE_QUEUE_URL: z.url(),
  /** The secret that holds the chat service's access token, for contact checks. */
  ACCESS_TOKEN_SECRET_ID: z.string(),
  /** The chat service's base URL, without a trailing slash. */
  CHAT_SERVICE_URL: z.url(),
  /** The platform and the business's own number of a call that names none. */
  CHAT_PLATFORM: z.string(),
  CHAT_CHANNEL_NUMBER: z.string(),
  /** Whether conversation windows are kept per user, or per user and business number. */
  WINDOW_PER: z.enum(WINDOW_SCOPES),
  /** The contact check's path below `/api/v1.0/`. */
  CONTACT_CHECK_PATH: z.string(),
  /** How long before its 24 hours end a conversation window counts as closed. */
  WINDOW_MARGIN_SECONDS: wholeNumber(0),
  /** The group of the schedules of requests with a `sendAt`. */
  SCHEDULE_GROUP_NAME: z.string(),
  /** Days until a send and its message expire. */
  RETENTION_DAYS: wholeNumber(1),
});

/** The variables as the stack sets them. */
export type ManageEnvironment = Record<keyof z.input<typeof manageEnvironment>, string>;
