import { z } from 'zod';
import { CONTACT_CHECKS } from '../../lambdas/domain/contact-check.ts';
import { CLIENT_PAYLOADS } from '../../lambdas/domain/send-decision.ts';
import { templateReference } from '../../lambdas/domain/send-request.ts';
import { TOLD_EVENT_NAMES } from '../../lambdas/domain/telling/told-event-names.ts';
import { NUMBER_FORMATS } from '../../lambdas/domain/wire-number.ts';
import { webhookAuth } from '../../lambdas/receive/auth/webhook-auth.ts';

/** Two weeks and a day: SQS hands out a request for up to 14 days, and the record that it was sent must outlive it. */
const SHORTEST_RETENTION_DAYS = 15;

/** Plain http is for a sandbox on this machine alone: the access token travels in a header. */
function isBaseUrl(value: string): boolean {
  const url = URL.parse(value);
  if (!url || value.endsWith('/') || url.search || url.hash || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname));
}

/** Which events a target gets, by their names. */
const eventNames = z.array(z.enum(TOLD_EVENT_NAMES)).min(1).optional();

/** A place where events go beside the bus. */
const eventTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('sqs'),
    /** A standard queue, in the stack's region, whose policy lets EventBridge in. */
    queueArn: z.string().regex(/^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}$/),
    events: eventNames,
  }),
  z.strictObject({
    kind: z.literal('https'),
    url: z.string().regex(/^https:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/),
    /** The header in which the target is shown the key that the stack makes for it. */
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/)
      .default('x-api-key'),
    events: eventNames,
  }),
]);

export type EventTarget = z.output<typeof eventTarget>;

/**
 * Every object refuses names that it does not know. What each may be is said, for the faults, in `settings-guide.ts`.
 */
const settings = z.strictObject({
  /**
   * Whether the stage holds what must not be lost: table, key, queues and secret then outlive their stack, and table and
   * stack are protected from deletion.
   *
   * @default false
   */
  production: z.boolean().default(false),
  chatService: z.strictObject({
    /** The chat service's base address: https, or http on this machine; without a trailing slash. */
    baseUrl: z.string().refine(isBaseUrl),
    /**
     * How phone numbers are written in calls: as they came, always with the leading plus, or as digits alone.
     *
     * @default 'verbatim'
     */
    numberFormat: z.enum(NUMBER_FORMATS).default('verbatim'),
    /**
     * Which calls carry the request's id as `clientPayload`: none, `intent/v2`, or `message/v3` too.
     *
     * @default 'intent'
     */
    clientPayload: z.enum(CLIENT_PAYLOADS).default('intent'),
    /**
     * The contact check's address behind `/api/v1.0/`; its last segment carries the platform's name.
     *
     * @default 'customer/checkChatContact'
     */
    contactCheckPath: z
      .string()
      .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/)
      .default('customer/checkChatContact'),
  }),
  /** The platform of a request or an event that names none. The table's keys are made of it. */
  chatPlatform: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
  /** The business's own number of a request that names none: a plus and digits. */
  chatChannelNumber: z.string().regex(/^\+\d{6,15}$/),
  webhook: z.strictObject({
    /** How the webhook's posts are verified. */
    auth: webhookAuth,
  }),
  /**
   * Whether `webhook.auth` may be `insecure-none`, under which anybody can post events.
   *
   * @default false
   */
  allowInsecureWebhook: z.boolean().default(false),
  window: z
    .strictObject({
      /**
       * Whether windows are kept for each user, or for each user and business number.
       *
       * @default 'user'
       */
      per: z.enum(['user', 'channel']).default('user'),
      /**
       * How long before its 24 hours end a conversation window counts as closed.
       *
       * @default 60
       */
      marginSeconds: z.int().min(0).max(3600).default(60),
    })
    .prefault({}),
  /**
   * Whether a number is checked on the platform before a template opens a conversation.
   *
   * @default 'off'
   */
  contactCheck: z.enum(CONTACT_CHECKS).default('off'),
  /**
   * What is sent when a free-form request meets a closed window.
   *
   * @default none, such a request is refused
   */
  defaultTemplate: z.optional(templateReference),
  events: z
    .strictObject({
      /**
       * Whether events carry what was written, or only that it was.
       *
       * @default true
       */
      content: z.boolean().default(true),
      /**
       * Where events go beside the bus.
       *
       * @default none, consumers put rules of their own on the bus
       */
      targets: z.array(eventTarget).max(50).default([]),
    })
    .prefault({}),
  /**
   * Days until messages and sends are removed from the table.
   *
   * @default 400
   */
  retentionDays: z.int().min(SHORTEST_RETENTION_DAYS).max(3650).default(400),
  /**
   * Whether the table is encrypted with a key of this account's own.
   *
   * @default false
   */
  customerManagedKey: z.boolean().default(false),
  /**
   * The SNS topic that hears of alarms.
   *
   * @default none, the alarms only show in CloudWatch
   */
  alarmTopicArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/)
    .optional(),
});

/** One stage's settings, as they stand in cdk.json under `context.stages`; insecurity asks for a second word. */
export const stageSettings = settings.refine(
  ({ webhook, allowInsecureWebhook }) => webhook.auth.kind !== 'insecure-none' || allowInsecureWebhook,
  { path: ['allowInsecureWebhook'] },
);

/** One stage's settings, checked, with every default filled in. */
export type StageSettings = z.output<typeof stageSettings>;
