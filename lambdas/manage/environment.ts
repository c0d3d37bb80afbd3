import * as z from '../domain/schema.ts';
import { wholeNumber } from '../environment.ts';

/** What the stack tells the function `manage`. */
export const manageEnvironment = z.object({
  /** The conversation table. */
  TABLE_NAME: z.string(),
  /** Where send requests go. */
  SEND_QUEUE_URL: z.url(),
  /** Where erasures wait, which this function works through as well. */
  ERASURE_QUEUE_URL: z.url(),
  /** The secret whose string is the chat service's access token; contacts are checked with it. */
  ACCESS_TOKEN_SECRET_ID: z.string(),
  /** The chat service's base address, without a trailing slash. */
  CHAT_SERVICE_URL: z.url(),
  /** The platform and the business's own number of a call that names none. */
  CHAT_PLATFORM: z.string(),
  CHAT_CHANNEL_NUMBER: z.string(),
  /** Whether conversation windows are kept per user or per business number and user. */
  WINDOW_PER: z.enum(['user', 'channel']),
  /** The contact check's address behind `/api/v1.0/`; its segment carries the platform's name. */
  CONTACT_CHECK_PATH: z.string(),
  /** How long before its 24 hours end a conversation window counts as closed. */
  WINDOW_MARGIN_SECONDS: wholeNumber(0),
  /** The group of the schedules that hold sends until their time; a cancelled one's is removed. */
  SCHEDULE_GROUP_NAME: z.string(),
  /** Days until a send and its message are removed from the table. */
  RETENTION_DAYS: wholeNumber(1),
});

/** The variables as the stack must set them: strings all. */
export type ManageEnvironment = Record<keyof z.input<typeof manageEnvironment>, string>;
