import { WINDOW_SCOPES } from '../domain/contact.ts';
import { operatorEchoes } from '../domain/handovers/operator-echo.ts';
import { keywords } from '../domain/keywords/keywords.ts';
import { retentionDays } from '../domain/retention.ts';
import * as z from '../domain/schema.ts';
import { flag, json, type Variables } from '../runtime/environment.ts';
import { sendRulesShape } from '../runtime/send-rules.ts';

/** The environment of the function `manage`. */
export const manageEnvironment = z.object({
  ...sendRulesShape,
  /** The conversation table, and the URL of DynamoDB in the stack's region. */
  TABLE_NAME: z.string(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url(),
  /** The URL of Secrets Manager in the stack's region. */
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.url(),
  /** The queue for send requests. */
  SEND_QUEUE_URL: z.url(),
  /** The bulk queue, whose messages a dry run counts, and to which its dead letters are redriven. */
  BULK_SEND_QUEUE_URL: z.optional(z.url()),
  /** The queue for erasures, which the function also consumes. */
  ERASURE_QUEUE_URL: z.url(),
  /** The dead-letter queues whose old messages the function keeps in the table, and that an erasure searches. */
  SEND_DEAD_LETTER_QUEUE_URL: z.url(),
  BULK_SEND_DEAD_LETTER_QUEUE_URL: z.optional(z.url()),
  SCHEDULE_DEAD_LETTER_QUEUE_URL: z.url(),
  INBOUND_DEAD_LETTER_QUEUE_URL: z.optional(z.url()),
  /** The queue that quarantined events are put back on. */
  INBOUND_QUEUE_URL: z.optional(z.url()),
  ERASURE_DEAD_LETTER_QUEUE_URL: z.url(),
  /** Further queues that an erasure searches: their URLs, as a JSON list. */
  DEAD_LETTER_QUEUE_URLS: json(z.array(z.url())),
  /** The event bus on which events are published again, and the URLs of the services for that. */
  EVENT_BUS_NAME: z.optional(z.string()),
  AWS_ENDPOINT_URL_EVENTBRIDGE: z.optional(z.url()),
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: z.optional(z.url()),
  /** Whether events include the content of messages: `true` or `false`. */
  EVENT_CONTENT: z.optional(flag()),
  /** The queue for changes that were not published, and that for events that a target did not accept. */
  PUBLISH_FAILURES_QUEUE_URL: z.optional(z.url()),
  UNDELIVERED_EVENTS_QUEUE_URL: z.optional(z.url()),
  /** The secret that holds the chat service's access token, for contact checks. */
  ACCESS_TOKEN_SECRET_ID: z.string(),
  /** The chat service's base URL, without a trailing slash. */
  CHAT_SERVICE_URL: z.url(),
  /** Whether conversation windows are kept per user, or per user and business number. */
  WINDOW_PER: z.enum(WINDOW_SCOPES),
  /** The contact check's path, relative to `/api/v1.0/`. */
  CONTACT_CHECK_PATH: z.string(),
  /** The `notAfter` of requests without one, as a duration such as `PT10M`. @default none */
  DEFAULT_NOT_AFTER: z.optional(z.string()),
  /** The keywords, and how the echoes of operators' messages are recognized, in imported messages. @default none */
  KEYWORDS: z.optional(json(keywords)),
  OPERATOR_ECHOES: z.optional(json(operatorEchoes)),
  /** The group of schedules for requests with a `sendAt`. */
  SCHEDULE_GROUP_NAME: z.string(),
  /** Whether the stage watches what arrives: `true` or `false`. @default false */
  WATCH: z.optional(flag()),
  /** How long each kind of data is kept. */
  RETENTION_DAYS: json(retentionDays),
});

export type ManageEnvironment = Variables<typeof manageEnvironment>;

/** The input of the schedule that keeps dead letters. */
export interface KeepDeadLettersEvent {
  readonly keepDeadLetters: true;
}

/** The input of the schedule that looks for what did not arrive. */
export interface WatchArrivalsEvent {
  readonly watchArrivals: true;
}
