import { z } from 'zod';
import { CONTACT_CHECKS } from '../../lambdas/domain/contact-check.ts';
import { EVENT_NAMES } from '../../lambdas/domain/events/event-details.ts';
import { CLIENT_PAYLOADS, NUMBER_FORMATS } from '../../lambdas/domain/send-decision.ts';
import { templateReference } from '../../lambdas/domain/send-request.ts';
import { webhookAuth } from '../../lambdas/receive/auth/webhook-auth.ts';

/** SQS may deliver a request again for 14 days, and the record that it was sent must outlive it. */
const MIN_RETENTION_DAYS = 15;

/** Plain http is for a sandbox on this machine: the access token travels in a header. */
function isBaseUrl(value: string): boolean {
  const url = URL.parse(value);
  if (!url || value.endsWith('/') || url.search || url.hash || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname));
}

const eventNames = z.array(z.enum(EVENT_NAMES)).min(1).optional();

const eventTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('sqs'),
    // A standard queue in the stack's region; its policy must admit EventBridge.
    queueArn: z.string().regex(/^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}$/),
    events: eventNames,
  }),
  z.strictObject({
    kind: z.literal('https'),
    url: z.string().regex(/^https:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/)
      .default('x-api-key'),
    events: eventNames,
  }),
]);

/** A queue or URL that receives events in addition to the event bus. */
export type EventTarget = z.output<typeof eventTarget>;

/**
 * One stage's settings by name.
 *
 * Each description completes "expected ..." in a fault; `settingsGuide` adds the default. Objects reject unknown names.
 * Constructs pick the settings that they use.
 */
export const settingsObject = z.strictObject({
  production: z.boolean().default(false).meta({
    description:
      'true or false: whether the data outlives the stack, and the table and the stack are protected from deletion',
  }),
  chatService: z
    .strictObject({
      baseUrl: z
        .string()
        .refine(isBaseUrl)
        .meta({
          description:
            'the base URL of the chat service: https (http only on 127.0.0.1 or localhost), without a trailing slash, ' +
            'such as "https://chat-service.example"',
        }),
      numberFormat: z
        .enum(NUMBER_FORMATS)
        .default('verbatim')
        .meta({
          description:
            '"verbatim", "plus" or "digits": how calls write phone numbers, that is as received, always with a leading ' +
            'plus, or without one',
        }),
      clientPayload: z.enum(CLIENT_PAYLOADS).default('intent').meta({
        description:
          '"intent", "all" or "off": whether intent/v2, both endpoints, or neither carry the request id as clientPayload',
      }),
      contactCheckPath: z
        .string()
        .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/)
        .default('customer/checkChatContact')
        .meta({
          description: "the contact check's path after /api/v1.0/, whose last segment carries the platform's name",
        }),
    })
    .meta({ description: 'an object with baseUrl and, optionally, numberFormat, clientPayload and contactCheckPath' }),
  chatPlatform: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .meta({
      description:
        "the chat service's name of the chat platform, for requests and events without one: 1 to 64 letters, digits, " +
        'dots, underscores and hyphens',
    }),
  chatChannelNumber: z
    .string()
    .regex(/^\+\d{6,15}$/)
    .meta({
      description: 'the business number for requests without one: a plus and 6 to 15 digits, such as "+5491100000000"',
    }),
  webhook: z.strictObject({ auth: webhookAuth }).meta({ description: 'an object with auth' }),
  allowInsecureWebhook: z.boolean().default(false).meta({
    description:
      'true to allow the webhook.auth.kind "insecure-none", which accepts webhook requests from anyone, or false',
  }),
  window: z
    .strictObject({
      per: z.enum(['user', 'channel']).default('user').meta({
        description:
          '"user" or "channel": whether conversation windows are kept per user, or per user and business number',
      }),
      marginSeconds: z.int().min(0).max(3600).default(60).meta({
        description:
          'an integer from 0 to 3600: how many seconds before its 24 hours end a conversation window counts as closed',
      }),
    })
    .prefault({})
    .meta({ description: 'an object with per and marginSeconds, both optional' }),
  contactCheck: z.enum(CONTACT_CHECKS).default('off').meta({
    description:
      '"off" or "beforeFirstTemplate": whether a number is checked on the platform before a template opens a conversation',
  }),
  defaultTemplate: z.optional(templateReference).meta({
    description:
      'an object with ruleNameOrId and, for a template with variables, params: what to send when a free-form request ' +
      'meets a closed window; omit it to refuse such requests',
  }),
  events: z
    .strictObject({
      content: z.boolean().default(true).meta({
        description: 'true or false: whether events include the content of messages',
      }),
      targets: z
        .array(eventTarget)
        .max(50)
        .default([])
        .meta({
          description:
            'a list of up to 50 objects with kind "sqs" and the queueArn of a standard queue, or kind "https" and a url ' +
            '(and the header for its key, unless x-api-key), each with a list of events unless it receives all; ' +
            'see docs/events.md',
        }),
    })
    .prefault({})
    .meta({ description: 'an object with content and targets, both optional' }),
  retentionDays: z
    .int()
    .min(MIN_RETENTION_DAYS)
    .max(3650)
    .default(400)
    .meta({
      description:
        `an integer from ${MIN_RETENTION_DAYS} to 3650: how many days messages and sends are kept, longer than the 14 days ` +
        'for which SQS may deliver a request again',
    }),
  customerManagedKey: z.boolean().default(false).meta({
    description: 'true or false: whether the table is encrypted with a customer managed KMS key',
  }),
  alarmTopicArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/)
    .optional()
    .meta({
      description:
        'the ARN of the SNS topic that alarms notify, such as "arn:aws:sns:eu-west-1:111122223333:alarms"; omit it to ' +
        'see alarms in CloudWatch only',
    }),
});

/** Rejects `insecure-none` unless the stage also sets `allowInsecureWebhook`. */
export const insecureWebhookCheck = z.refine<Pick<z.output<typeof settingsObject>, 'webhook' | 'allowInsecureWebhook'>>(
  ({ webhook, allowInsecureWebhook }) => webhook.auth.kind !== 'insecure-none' || allowInsecureWebhook,
  { path: ['allowInsecureWebhook'] },
);

/** One stage's settings, as `context.stages` of cdk.json holds them. */
export const stageSettings = settingsObject.check(insecureWebhookCheck);

/** One stage's settings as written: every setting that has a default is optional. */
export type StageSettingsInput = z.input<typeof stageSettings>;

/** One stage's settings, checked, with every default filled in. */
export type StageSettings = z.output<typeof stageSettings>;
