import { z } from 'zod';
import { CONTACT_CHECKS } from '../../lambdas/domain/contact-check.ts';
import { parseDuration } from '../../lambdas/domain/duration.ts';
import { APPROVED_REASONS, templateReference } from '../../lambdas/domain/send-request.ts';
import { authWithoutTopic, type WebhookAuth } from '../../lambdas/domain/webhook-auth.ts';
import { chatService, isSecure } from './chat-service-settings.ts';
import { addressOf, eventTarget } from './event-target.ts';
import { reservedConcurrency, throttle } from './flood-settings.ts';
import { keywordSettings } from './keyword-settings.ts';
import { bulkLane, sendInvocations } from './lane-settings.ts';
import { logRetentionDays } from './log-retention.ts';
import { operatorSettings } from './operator-settings.ts';
import { rollout } from './rollout.ts';
import { tags } from './tag-settings.ts';
import { topicArn } from './topic-arn.ts';
import { MAX_TURN_INVOCATIONS, turnSettings } from './turn-settings.ts';

/** SQS may redeliver a request for up to 14 days, and the record that it was sent must last longer. */
const MIN_RETENTION_DAYS = 15;

/** Who takes a webhook request: the function `receive`, or the inbound queue. */
const INGRESSES = ['direct', 'buffered'] as const;

/** Far more than an account's templates need. Limited because functions parse them at each cold start. */
export const MAX_TEMPLATES_CHARACTERS = 50_000;

const days = (minimum: number, byDefault: number, meaning: string) =>
  z
    .int()
    .min(minimum)
    .max(3650)
    .default(byDefault)
    .meta({ description: `an integer from ${minimum} to 3650: ${meaning}` });

/** Allows plain http only for a sandbox on this machine, because the server determines which requests are authentic. */
const secureKeysCheck = z.refine<{ auth: WebhookAuth }>(
  ({ auth }) => {
    const url = auth.kind === 'pubsub-jwt' ? URL.parse(auth.jwksUrl) : undefined;
    return !url || isSecure(url);
  },
  { path: ['auth', 'jwksUrl'] },
);

/**
 * The settings of a stage.
 *
 * Each description completes "expected ..." in a fault, and `settingsGuide` adds the default. Objects reject unknown
 * names. Constructs pick the settings that they use.
 */
export const settingsObject = z.strictObject({
  production: z.boolean().default(false).meta({
    description:
      'true or false: whether the data outlives the stack, and the table and the stack are protected from deletion',
  }),
  chatService,
  chatPlatform: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .meta({
      description:
        "the chat service's name of the chat platform, for requests and events without one: 1 to 64 letters, digits, " +
        'dots, underscores, and hyphens',
    }),
  chatChannelNumber: z
    .string()
    .regex(/^\+\d{6,15}$/)
    .meta({
      description: 'the business number for requests without one: a plus and 6 to 15 digits, such as "+5491100000000"',
    }),
  webhook: z
    .strictObject({
      auth: z.discriminatedUnion('kind', [
        ...authWithoutTopic,
        z.strictObject({ kind: z.literal('sns'), topicArn: topicArn('(?:\\.fifo)?') }),
      ]),
      ingress: z
        .enum(INGRESSES)
        .default('direct')
        .meta({
          description:
            '"direct" or "buffered": whether a function answers webhook requests, or API Gateway puts them on the inbound ' +
            'queue, from where they are verified and stored. With "buffered", change webhook.auth only while that queue is empty',
        }),
      watch: z
        .boolean()
        .default(false)
        .meta({
          description:
            'true or false: whether to raise an alarm when a channel falls silent, and to list messages whose statuses ' +
            'arrived but which did not',
        }),
      throttle,
    })
    .check(secureKeysCheck)
    .meta({ description: 'an object with auth and, optionally, ingress, watch, and throttle' }),
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
      marginSeconds: z
        .int()
        .min(0)
        .max(3600)
        .default(60)
        .meta({
          description:
            'an integer from 0 to 3600: how many seconds before the end of its 24 hours a conversation window ' +
            'counts as closed',
        }),
    })
    .prefault({})
    .meta({ description: 'an object with per and marginSeconds, both optional' }),
  sends: z
    .strictObject({
      notAfter: z
        .string()
        .refine((value) => parseDuration(value) !== undefined)
        .optional()
        .meta({
          description:
            'a duration of weeks, days, hours, minutes, and seconds, such as "PT10M": how long after being first queued a ' +
            'request without a notAfter expires; if omitted, after ten days of retries or 13 days in the queue',
        }),
      bulkLane,
    })
    .prefault({})
    .meta({ description: 'an object with notAfter and bulkLane, both optional' }),
  contactCheck: z
    .enum(CONTACT_CHECKS)
    .default('off')
    .meta({
      description:
        '"off" or "beforeFirstTemplate": whether to check that a number is on the platform before a template opens a ' +
        'conversation',
    }),
  optOutExemptReasons: z.array(z.enum(APPROVED_REASONS)).default([]).meta({
    description:
      'a list of reasons, such as ["payment"]: requests with one of these reasons are sent even after an opt-out',
  }),
  keywords: z.optional(keywordSettings),
  operators: z.optional(operatorSettings),
  turns: z.optional(turnSettings),
  templates: z
    .record(z.string().min(1).max(256), z.array(z.string().min(1)))
    .refine((templates) => JSON.stringify(templates).length <= MAX_TEMPLATES_CHARACTERS)
    .optional()
    .meta({
      description:
        'an object with the variables of each template, such as {"parcel_update": ["name"]}, of at most ' +
        `${MAX_TEMPLATES_CHARACTERS.toLocaleString('en-US')} characters as JSON: a request for a listed template is refused if its params differ`,
    }),
  defaultTemplate: z.optional(templateReference).meta({
    description:
      'an object with ruleNameOrId and, for a template with variables, params: what to send if a free-form request ' +
      'finds the window closed; omit it to refuse such requests',
  }),
  events: z
    .strictObject({
      content: z.boolean().optional().meta({
        description:
          'true or false: whether events include the content of messages (default true, but false if production is true)',
      }),
      targets: z
        .array(eventTarget)
        .max(50)
        .refine((targets) => new Set(targets.map(addressOf)).size === targets.length)
        .default([])
        .meta({
          description:
            'a list of up to 50 objects with kind "sqs" and the queueArn of a standard queue, or kind "https" and a url ' +
            '(and the header for its key, unless x-api-key), each with its own address, and with a list of events unless it receives all; ' +
            'see docs/events.md',
        }),
    })
    .prefault({})
    .meta({ description: 'an object with content and targets, both optional' }),
  retentionDays: z
    .strictObject({
      messages: days(MIN_RETENTION_DAYS, 400, 'how many days to keep messages and their statuses'),
      sends: days(
        MIN_RETENTION_DAYS,
        400,
        'how many days to keep sends, longer than the 14 days for which SQS may redeliver a request',
      ),
      contacts: days(MIN_RETENTION_DAYS, 400, "how many days to keep a contact after the user's latest message"),
      audit: days(1, 400, 'how many days to keep the audit trail'),
      logs: logRetentionDays,
    })
    .prefault({})
    .meta({
      description: 'an object with the days to keep messages, sends, contacts, audit, and logs, all optional',
    }),
  customerManagedKey: z
    .boolean()
    .default(false)
    .meta({
      description:
        'true or false: whether the table, queues, secrets, logs, schedules, and the event bus are encrypted with a ' +
        'customer managed KMS key that the stack creates',
    }),
  reservedConcurrency,
  rollout,
  tags,
  alarmTopicArn: topicArn()
    .optional()
    .meta({
      description:
        'the ARN of the SNS topic that alarms notify, such as "arn:aws:sns:eu-west-1:111122223333:alarms"; omit it to ' +
        'see alarms only in CloudWatch',
    }),
  runbookUrl: z
    .url()
    .refine((url) => !url.includes('#'))
    .optional()
    .meta({
      description:
        'the URL of the runbook that the descriptions of alarms link to, without a fragment, such as ' +
        '"https://git.example/parley/blob/main/docs/runbook.md"; omit it to name the file docs/runbook.md',
    }),
});

/** Rejects `insecure-none` unless the stage also sets `allowInsecureWebhook`. */
export const insecureWebhookCheck = z.refine<Pick<z.output<typeof settingsObject>, 'webhook' | 'allowInsecureWebhook'>>(
  ({ webhook, allowInsecureWebhook }) => webhook.auth.kind !== 'insecure-none' || allowInsecureWebhook,
  { path: ['allowInsecureWebhook'] },
);

/** Rejects a reserved concurrency of `send` below what its queues may use. */
export const reservedSendCheck = z.refine<
  Pick<z.output<typeof settingsObject>, 'chatService' | 'reservedConcurrency' | 'sends'>
>(
  ({ chatService, reservedConcurrency: { send }, sends: { bulkLane } }) =>
    send === undefined ||
    send >=
      sendInvocations(chatService.maxConcurrentCalls) + (bulkLane ? sendInvocations(bulkLane.maxConcurrentCalls) : 0),
  { path: ['reservedConcurrency', 'send'] },
);

/** Rejects a reserved concurrency of `publish` that the turn queue alone could use up. */
export const reservedPublishCheck = z.refine<Pick<z.output<typeof settingsObject>, 'reservedConcurrency' | 'turns'>>(
  ({ turns, reservedConcurrency: { publish } }) =>
    turns === undefined || publish === undefined || publish > MAX_TURN_INVOCATIONS,
  { path: ['reservedConcurrency', 'publish'] },
);

/** The settings of a stage, as written in `context.stages` of cdk.json. */
export const stageSettings = settingsObject.check(insecureWebhookCheck, reservedSendCheck, reservedPublishCheck);

/** The settings of a stage as written. Settings with a default are optional. */
export type StageSettingsInput = z.input<typeof stageSettings>;

/** The settings of a stage, checked and with defaults filled in. */
export type StageSettings = z.output<typeof stageSettings>;

/**
 * Whether events include the content of messages. Targets and archives of the bus keep events for their own retention
 * periods, and erasures do not reach them. So a production stage publishes content only if its settings say so.
 */
export const publishesContent = ({ production, events }: Pick<StageSettings, 'production' | 'events'>): boolean =>
  events.content ?? !production;
