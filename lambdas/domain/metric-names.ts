/**
 * The names of the metrics, by the function that emits them. CloudWatch identifies a metric by its namespace, its name,
 * and its exact set of dimensions, so alarms and the dashboard must name the function.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
 */
export const METRIC_NAMES_OF = {
  receive: [
    'EventStored',
    'EventDeferred',
    'EventQuarantined',
    'EventTooLarge',
    'EventWithoutChannel',
    'EventTimeUnreadable',
    'SenderUnknown',
    'WebhookEventUnknown',
    'WebhookEventNew',
    'EventNotStored',
    'WebhookUnauthenticated',
    'LikelyEventRefused',
    'WebhookProbed',
    'WebhookVerificationUnavailable',
    'WebhookHandshake',
    'WebhookUnsubscribed',
    'RetriedMessageAge',
  ],
  send: [
    'SendAccepted',
    'SendRefused',
    'SendRejected',
    'SendExpired',
    'SendUncertain',
    'SendWaiting',
    'SendMalformed',
    'SendProcessingFailed',
    'SendScheduled',
    'AccountHeld',
    'SendingStopped',
    'AccountResumed',
    'ContactCheckRejected',
    'MessageNotRecorded',
    'WindowMisjudged',
    'RetriedMessageAge',
    'RetriedBulkMessageAge',
  ],
  publish: ['PublishRetried', 'PublishFailed', 'ChangeDeadLettered', 'RetriedTurnAge'],
  manage: [
    'SendingStopped',
    'SendCancelled',
    'SendUncertain',
    'DeadLettersWaiting',
    'AccessTokenExpiring',
    'ChannelSilent',
    'MessageMissing',
    'MessageNotRecorded',
  ],
} as const;

/**
 * Metrics that CloudWatch counts in a function's log, by the message of the line. As a log line of its own, the metric of
 * the most frequent outcome would nearly double the log.
 */
export const LOGGED_METRICS = {
  receive: { EventStored: 'event stored' },
} as const satisfies Partial<Record<keyof typeof METRIC_NAMES_OF, Partial<Record<MetricName, string>>>>;

/** The functions, by the name in their logs and metrics. */
export type ServiceName = keyof typeof METRIC_NAMES_OF;

export type MetricName = (typeof METRIC_NAMES_OF)[ServiceName][number];

/** The values of the dimension that a metric has in addition to the function. */
export const METRIC_DIMENSIONS = {
  WindowMisjudged: [{ direction: 'open' }, { direction: 'closed' }],
} as const satisfies Partial<Record<MetricName, readonly Readonly<Record<string, string>>[]>>;
