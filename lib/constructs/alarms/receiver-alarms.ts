import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { BufferedApi } from '../buffered-ingress/buffered-api.ts';
import { MINUTE_SUM, SUM } from '../metric-period.ts';
import type { ParleyReceiver } from '../receiver.ts';
import { addFunctionAlarms } from './function-alarms.ts';
import type { StageAlarms } from './stage-alarms.ts';

/** The inbound queue is empty unless the table, or the send queue for confirmations of opt-outs, is unavailable. */
const MAX_INBOUND_QUEUE_AGE = Duration.minutes(10);

/**
 * A single invalid signature may be a stranger's. Three in half an hour, each in a different five-minute period, mean
 * that someone keeps trying, or that the settings and the publish/subscribe system disagree. More periods than data
 * points are needed, because a publish/subscribe system that is refused pauses for up to ten minutes between its
 * attempts.
 */
const SUSTAINED = { evaluationPeriods: 6, datapointsToAlarm: 3 };

/** More refused requests in a period than internet scanners usually cause. */
const MANY_REFUSED = 20;

const TOO_LARGE = 'A webhook request was too large for the inbound queue, and was answered with 413. It is not stored.';
const POST_REFUSED =
  'A post to the webhook was answered with 4xx: 413 if it is too large for the inbound queue, 415 for its content type, ' +
  'or 429 above the limit. If it is an event, it is lost unless it is redelivered.';

/** API Gateway counts all 4xx of a method together. It counts the methods one by one, and unknown paths not at all. */
const refusedPosts = ({ methods, stage }: BufferedApi): IMetric => {
  const metrics = methods.map((method, index) => [`path${index}`, method.metricClientError(stage, SUM)] as const);
  return new MathExpression({
    expression: `MAX([${metrics.map(([id]) => `FILL(${id}, 0)`).join(', ')}])`,
    label: '4xx',
    period: SUM.period,
    usingMetrics: Object.fromEntries(metrics),
  });
};

/** Adds the alarms of what receives events. */
export function addReceiverAlarms(alarms: StageAlarms, receiver: ParleyReceiver): void {
  const { handler, inboundQueue, api, authKind, isBuffered, windowPer } = receiver;
  addFunctionAlarms(alarms, 'Receive', handler);
  alarms.addDeadLetters(
    'QuarantinedEvents',
    inboundQueue.deadLetters,
    'Authentic webhook events could not be read or stored, and are quarantined in the inbound dead-letter queue.',
  );
  alarms.addAge(
    'InboundQueueAge',
    inboundQueue,
    handler,
    MAX_INBOUND_QUEUE_AGE,
    `A webhook event has waited ${MAX_INBOUND_QUEUE_AGE.toMinutes()} minutes to be stored, or for the confirmation of its ` +
      'opt-out to be queued. The table is throttled or unavailable, or the send queue is unavailable' +
      (isBuffered ? ', or the secret or keys that verify webhook requests cannot be read.' : '.'),
  );
  alarms.add('OversizedEvents', {
    ...(api instanceof BufferedApi
      ? { metric: refusedPosts(api), meaning: POST_REFUSED }
      : { metric: handler.customMetric('EventTooLarge', SUM), meaning: TOO_LARGE }),
    threshold: 1,
  });
  alarms.add('UnauthenticatedWebhooks', {
    metric: handler.customMetric('WebhookUnauthenticated', SUM),
    threshold: 1,
    meaning: isBuffered
      ? 'Webhook requests have been dropped as unauthenticated for a while. If they come from the chat service, its ' +
        'events are lost.'
      : 'Webhook requests have been answered with 401 for a while. If they come from the chat service, its events are ' +
        'not stored.',
    ...SUSTAINED,
  });
  alarms.add('LikelyEventsRefused', {
    metric: handler.customMetric('LikelyEventRefused', MINUTE_SUM),
    threshold: 1,
    meaning:
      'A webhook request that looks like an event of the chat service was refused as unauthenticated. A chat service ' +
      'that posts each event once does not redeliver it. Strangers can also send such requests.',
    // It starts with the first such minute, and does not start again for each of a burst.
    evaluationPeriods: 10,
    datapointsToAlarm: 1,
  });
  alarms.add('RefusedWebhooks', {
    metric: api.stage.metricClientError({ period: SUM.period }),
    threshold: MANY_REFUSED,
    meaning: `The webhook's API has repeatedly answered at least ${MANY_REFUSED} requests in five minutes with 4xx.`,
    ...SUSTAINED,
  });
  alarms.add('WebhookServerErrors', {
    metric: api.stage.metricServerError({ period: SUM.period }),
    threshold: 1,
    meaning: 'Webhook requests were answered with 5xx. Their events are lost unless the chat service redelivers them.',
  });
  alarms.add('UnknownSenders', {
    metric: handler.customMetric('SenderUnknown', SUM),
    threshold: 1,
    meaning:
      'Webhook events do not say who wrote their messages, so these opened no conversation window and were not ' +
      'checked for keywords. If users wrote them, the chat service names a sender that Parley does not know.',
  });
  alarms.add('UnreadableEventTimes', {
    metric: handler.customMetric('EventTimeUnreadable', SUM),
    threshold: 1,
    meaning:
      'Messages whose times could not be read opened no conversation window and were not checked for keywords. The ' +
      'chat service may have changed how it writes times.',
  });
  alarms.add('NewWebhookEvents', {
    metric: handler.customMetric('WebhookEventNew', SUM),
    threshold: 1,
    meaning: 'The chat service has sent a kind of event that Parley does not know, for the first time. It is stored.',
  });
  if (authKind === 'sns') {
    alarms.add('WebhookUnsubscribed', {
      metric: handler.customMetric('WebhookUnsubscribed', SUM),
      threshold: 1,
      meaning: 'The SNS topic reported that it no longer delivers events to the webhook.',
    });
  }
  if (windowPer === 'channel') {
    alarms.add('EventsWithoutChannel', {
      metric: handler.customMetric('EventWithoutChannel', SUM),
      threshold: 1,
      meaning: 'Messages that do not name a business number were stored, but opened no conversation window.',
    });
  }
}
