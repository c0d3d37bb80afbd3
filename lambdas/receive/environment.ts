import { WINDOW_SCOPES } from '../domain/contact.ts';
import { operatorEchoes } from '../domain/handovers/operator-echo.ts';
import { keywords } from '../domain/keywords/keywords.ts';
import { retentionDays } from '../domain/retention.ts';
import * as z from '../domain/schema.ts';
import { webhookAuth } from '../domain/webhook-auth.ts';
import { flag, json, type Variables } from '../runtime/environment.ts';

/** The environment of the function `receive`. */
export const receiveEnvironment = z.object({
  /** The conversation table, and the URL of DynamoDB in the stack's region. */
  TABLE_NAME: z.string(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url(),
  /** The URL of Secrets Manager in the stack's region. */
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.url(),
  /** The queue where verified events wait while the table is unavailable. */
  INBOUND_QUEUE_URL: z.url(),
  /** The queue for authentic events that cannot be parsed or stored. */
  INBOUND_DEAD_LETTER_QUEUE_URL: z.url(),
  /** How webhook requests are verified: {@link webhookAuth} as JSON. */
  WEBHOOK_AUTH: json(webhookAuth),
  /** The secret that holds the webhook's secrets or tokens, for the kinds of authentication that use one. */
  WEBHOOK_SECRET_ID: z.optional(z.string()),
  /** Whether conversation windows are kept per user, or per user and business number. */
  WINDOW_PER: z.enum(WINDOW_SCOPES),
  /** The keywords by which users opt out and in. @default none */
  KEYWORDS: z.optional(json(keywords)),
  /** The queue for the confirmations of opt-outs by keyword. @default opt-outs are not confirmed */
  SEND_QUEUE_URL: z.optional(z.url()),
  /** How the echoes of operators' messages are recognized. @default not at all */
  OPERATOR_ECHOES: z.optional(json(operatorEchoes)),
  /** Whether messages are added to turns. @default false */
  TURNS: z.optional(flag()),
  /** Whether to record when users write to channels, and which messages may be gaps. @default false */
  WATCH: z.optional(flag()),
  /** The platform of events that do not name one. */
  CHAT_PLATFORM: z.string(),
  /** The stage's own business number. */
  CHAT_CHANNEL_NUMBER: z.string(),
  /** How long each kind of data is kept. */
  RETENTION_DAYS: json(retentionDays),
});

export type ReceiveEnvironment = Variables<typeof receiveEnvironment>;
