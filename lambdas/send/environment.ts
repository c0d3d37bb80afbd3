import { WINDOW_SCOPES } from '../domain/contact.ts';
import { retentionDays } from '../domain/retention.ts';
import * as z from '../domain/schema.ts';
import { CLIENT_PAYLOADS } from '../domain/send-call.ts';
import { json, type Variables, wholeNumber, wholeSeconds } from '../runtime/environment.ts';
import { sendRulesShape } from '../runtime/send-rules.ts';

export type { SendRulesEnvironment } from '../runtime/send-rules.ts';

/** The environment of the function `send`. */
export const sendEnvironment = z.object({
  ...sendRulesShape,
  /** Which calls carry the request id as `clientPayload`. */
  CLIENT_PAYLOAD: z.enum(CLIENT_PAYLOADS),
  /** The text that confirms an opt-out by keyword. @default opt-outs are not confirmed */
  OPT_OUT_CONFIRMATION: z.optional(z.string()),
  /** The conversation table, and the URL of DynamoDB in the stack's region. */
  TABLE_NAME: z.string(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url(),
  /** The URL of Secrets Manager in the stack's region. */
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.url(),
  /** The queue that the function consumes. The function also changes the visibility of waiting requests. */
  SEND_QUEUE_URL: z.url(),
  /** The queue for requests that are malformed or cannot be processed. */
  SEND_DEAD_LETTER_QUEUE_URL: z.url(),
  /** The secret that holds the chat service's access token. */
  ACCESS_TOKEN_SECRET_ID: z.string(),
  /** The chat service's base URL, without a trailing slash. */
  CHAT_SERVICE_URL: z.url(),
  /** Whether conversation windows are kept per user, or per user and business number. */
  WINDOW_PER: z.enum(WINDOW_SCOPES),
  /** The `notAfter` of requests without one, as a duration such as `PT10M`. @default none */
  DEFAULT_NOT_AFTER: z.optional(z.string()),
  /** The contact check's path, relative to `/api/v1.0/`. */
  CONTACT_CHECK_PATH: z.string(),
  /** How long to wait for an answer of the chat service. */
  ANSWER_TIMEOUT_SECONDS: wholeSeconds(1),
  /** The maximum number of concurrent calls in one instance of the function. */
  MAX_CONCURRENT_CALLS: wholeNumber(1),
  /** The group of schedules for requests with a `sendAt`, the role they use, and their dead-letter queue. */
  SCHEDULE_GROUP_NAME: z.string(),
  SCHEDULE_ROLE_ARN: z.string(),
  SCHEDULE_DEAD_LETTER_QUEUE_ARN: z.string(),
  /** The customer managed key that encrypts schedules, if the stage has one. */
  SCHEDULE_KEY_ARN: z.optional(z.string()),
  /** How long each kind of data is kept. */
  RETENTION_DAYS: json(retentionDays),
});

export type SendEnvironment = Variables<typeof sendEnvironment>;
