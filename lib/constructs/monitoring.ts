import { Duration } from 'aws-cdk-lib';
import { Alarm, type AlarmProps, ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ParleyDashboard } from './dashboard.ts';
import type { ParleyManagement } from './management.ts';
import type { ParleyFunction } from './parley-function.ts';
import type { ParleyPublisher } from './publisher.ts';
import type { ParleyReceiver } from './receiver.ts';
import type { ParleySender } from './sender.ts';

/** Properties of {@link ParleyMonitoring}. */
export interface ParleyMonitoringProps {
  readonly receiver: ParleyReceiver;
  readonly sender: ParleySender;
  /** @default none; nothing is published */
  readonly publisher?: ParleyPublisher;
  readonly management: ParleyManagement;
  /**
   * The topic to notify when an alarm starts and ends.
   *
   * @default none; only CloudWatch shows the alarms
   */
  readonly alarmTopic?: ITopic;
}

const PERIOD = Duration.minutes(5);
const SUM = { period: PERIOD, statistic: 'Sum' };
const MAXIMUM = { period: PERIOD, statistic: 'Maximum' };

/** The inbound queue is empty unless the table is unavailable. */
const MAX_INBOUND_QUEUE_AGE = Duration.minutes(10);

/** Twice the longest backoff of a waiting request. */
const MAX_SEND_QUEUE_AGE = Duration.minutes(30);

/** Changes are normally published within seconds; the stream keeps them for a day. */
const MAX_PUBLISH_LAG = Duration.minutes(10);

/**
 * A single invalid signature may be a stranger's. Three in half an hour, each in a different five-minute period, mean
 * that someone keeps trying, or that the settings and the publish/subscribe system disagree. More periods than data
 * points are needed, because a publish/subscribe system that is refused pauses for up to ten minutes between its
 * attempts.
 */
const SUSTAINED = { evaluationPeriods: 6, datapointsToAlarm: 3 };

/** More refused requests in a period than internet scanners usually cause. */
const MANY_REFUSED = 20;

/** A bus that refuses events for longer than a burst of traffic lasts. */
const REPEATED = { evaluationPeriods: 3, datapointsToAlarm: 2 };

/**
 * Keeps the alarm's state while no data arrives, because the function reports the account's state only when there is a
 * request to send.
 */
const UNTIL_REPORTED = { treatMissingData: TreatMissingData.IGNORE };

/** Alarms for problems that require an operator: dead letters, failures, and backlogs. Also creates the dashboard. */
export class ParleyMonitoring extends Construct {
  readonly #action: SnsAction | undefined;

  constructor(scope: Construct, id: string, props: ParleyMonitoringProps) {
    super(scope, id);
    this.#action = props.alarmTopic && new SnsAction(props.alarmTopic);
    this.#watchReceiver(props.receiver);
    this.#watchSender(props.sender);
    if (props.publisher) this.#watchPublisher(props.publisher);
    this.#watchManagement(props.management);
    this.#createDashboard(props);
  }

  #watchReceiver({ handler, inboundQueue, api, authKind, windowPer }: ParleyReceiver): void {
    this.#watchFunction('Receive', handler);
    this.#watchDeadLetters(
      'QuarantinedEvents',
      inboundQueue.deadLetters,
      'Authentic webhook events could not be read or stored and are quarantined in the inbound dead-letter queue. ' +
        'List them with parley dead-letters list.',
    );
    this.#watchAge(
      'InboundQueueAge',
      inboundQueue,
      MAX_INBOUND_QUEUE_AGE,
      `A webhook event has waited ${MAX_INBOUND_QUEUE_AGE.toMinutes()} minutes to be stored. Check whether the table ` +
        'is throttled, and see the log of receive.',
    );
    this.#createAlarm(
      'OversizedEvents',
      handler.customMetric('EventTooLarge', SUM),
      1,
      'A webhook request was too large for the inbound queue and was rejected with 413. See the log of receive.',
    );
    this.#createAlarm(
      'UnauthenticatedWebhooks',
      handler.customMetric('WebhookUnauthenticated', SUM),
      1,
      'Webhook requests have been rejected with 401 for a while. If they come from the chat service, its events are not ' +
        'stored: compare webhook.auth and the webhook secret with the publish/subscribe system. See the log of receive.',
      SUSTAINED,
    );
    this.#createAlarm(
      'RefusedWebhooks',
      api.stage.metricClientError({ period: PERIOD }),
      MANY_REFUSED,
      `The webhook's API has repeatedly answered at least ${MANY_REFUSED} requests in five minutes with 4xx. The ` +
        'status in the API access log shows why: 429 above throttling.webhook, 413 above 10 MB, or 401.',
      SUSTAINED,
    );
    if (authKind === 'sns') {
      this.#createAlarm(
        'WebhookUnsubscribed',
        handler.customMetric('WebhookUnsubscribed', SUM),
        1,
        'The SNS topic reported that it no longer delivers events to the webhook. Unless you removed the subscription, ' +
          'find out who did, and subscribe the webhook again.',
      );
    }
    if (windowPer === 'channel') {
      this.#createAlarm(
        'EventsWithoutChannel',
        handler.customMetric('EventWithoutChannel', SUM),
        1,
        'Messages that do not name a business number were stored, but opened no conversation window. Give each number ' +
          'its own webhook URL, or keep windows per user.',
      );
    }
    this.#createAlarm(
      'WebhookServerErrors',
      api.stage.metricServerError({ period: PERIOD }),
      1,
      'Webhook requests were answered with 5xx, so they will be redelivered. See the API access log and the log of receive.',
    );
  }

  #watchSender({ handler, sendQueue, schedules }: ParleySender): void {
    this.#watchFunction('Send', handler);
    this.#watchDeadLetters(
      'SendDeadLetters',
      sendQueue.deadLetters,
      "Send requests were malformed, reused another request's ID, or could not be processed for a day. They are in the " +
        'send dead-letter queue. List them with parley dead-letters list send.',
    );
    this.#watchDeadLetters(
      'ScheduleDeadLetters',
      schedules.deadLetters,
      "EventBridge Scheduler could not put scheduled sends on the send queue. They are in the schedules' dead-letter " +
        'queue. List them with parley dead-letters list schedules.',
    );
    this.#watchAge(
      'SendQueueAge',
      sendQueue,
      MAX_SEND_QUEUE_AGE,
      `A send request has waited ${MAX_SEND_QUEUE_AGE.toMinutes()} minutes. The chat service may be unavailable or ` +
        'rejecting calls. See the log of send.',
    );
    this.#createAlarm(
      'AccountOnHold',
      // 1 while the account is on hold, else 0. In the minute in which it resumes, both are reported.
      handler.customMetric('AccountHeld', { period: Duration.minutes(1), statistic: 'Minimum' }),
      1,
      'The account is on hold: it has no credit, its access token is refused, or the chat service is unreachable. ' +
        'Until it recovers, Parley sends only probes. See the log of send.',
      UNTIL_REPORTED,
    );
    this.#createAlarm(
      'UncertainSends',
      handler.customMetric('SendUncertain', SUM),
      1,
      'It is unknown whether messages were sent. List the sends with parley sends uncertain list, and resolve them.',
    );
    this.#createAlarm(
      'RejectedSends',
      handler.customMetric('SendRejected', SUM),
      1,
      'The chat service rejected send requests. The SendRejected events list them, and parley status shows the reason.',
    );
  }

  #watchPublisher({ handler, publishFailures, targets }: ParleyPublisher): void {
    this.#watchFunction('Publish', handler);
    this.#watchDeadLetters(
      'PublishFailures',
      publishFailures,
      'Changes to the table could not be published as events and are in the queue for publish failures. ' +
        'See the log of publish.',
    );
    this.#createAlarm(
      'PublishLag',
      handler.metric('IteratorAge', MAXIMUM),
      MAX_PUBLISH_LAG.toMilliseconds(),
      `Events are published ${MAX_PUBLISH_LAG.toMinutes()} minutes late or more. The event bus may be throttling or ` +
        'unavailable. See the error codes in the log of publish.',
    );
    this.#createAlarm(
      'EventsNotPublished',
      handler.customMetric('PublishFailed', SUM),
      1,
      'The event bus refuses events. The log of publish has the error codes: for AccessDeniedException, fix the ' +
        'permissions. Parley retries each change for 12 hours.',
      REPEATED,
    );
    if (targets) {
      this.#watchDeadLetters(
        'UndeliveredEvents',
        targets.deadLetters,
        "A target did not accept events. They are in the targets' dead-letter queue, with the error in the message attributes.",
      );
    }
  }

  #watchManagement({ handler, erasureQueue, api }: ParleyManagement): void {
    this.#watchFunction('Manage', handler);
    this.#watchDeadLetters(
      'ErasureDeadLetters',
      erasureQueue.deadLetters,
      'Erasures failed repeatedly and are in the erasure dead-letter queue. See the log of manage.',
    );
    this.#createAlarm(
      'DeadLettersWaiting',
      handler.customMetric('DeadLettersWaiting', { period: Duration.days(1), statistic: 'Sum' }),
      1,
      'Dead letters are kept in the table and wait for a decision. Redrive or delete them with parley dead-letters.',
      // The function counts once a day, but not at the same second.
      { evaluationPeriods: 2, datapointsToAlarm: 1 },
    );
    this.#createAlarm(
      'ManagementServerErrors',
      api.stage.metricServerError({ period: PERIOD }),
      1,
      'Calls to the management API were answered with 5xx. See the API access log and the log of manage.',
    );
  }

  #watchFunction(name: string, handler: ParleyFunction): void {
    const service = name.toLowerCase();
    this.#createAlarm(
      `${name}Errors`,
      handler.metricErrors({ period: PERIOD }),
      1,
      `The function ${service} failed or timed out. See its log.`,
    );
    this.#createAlarm(
      `${name}Throttles`,
      handler.metricThrottles({ period: PERIOD }),
      1,
      `The function ${service} was throttled because the account's concurrency is used up. Request a higher quota.`,
    );
  }

  #watchDeadLetters(id: string, queue: IQueue, description: string): void {
    this.#createAlarm(id, queue.metricApproximateNumberOfMessagesVisible(MAXIMUM), 1, description);
  }

  #watchAge(id: string, queue: IQueue, limit: Duration, description: string): void {
    this.#createAlarm(id, queue.metricApproximateAgeOfOldestMessage(MAXIMUM), limit.toSeconds(), description);
  }

  #createDashboard({ receiver, sender, publisher, management }: ParleyMonitoringProps): void {
    new ParleyDashboard(this, 'Overview', {
      functions: {
        Receive: receiver.handler,
        Send: sender.handler,
        ...(publisher && { Publish: publisher.handler }),
        Manage: management.handler,
      },
      queues: {
        inbound: receiver.inboundQueue,
        quarantine: receiver.inboundQueue.deadLetters,
        send: sender.sendQueue,
        'send dead letters': sender.sendQueue.deadLetters,
        'schedule dead letters': sender.schedules.deadLetters,
        ...(publisher && { 'publish failures': publisher.publishFailures }),
        erasures: management.erasureQueue,
      },
      apis: { webhook: receiver.api, management: management.api },
    });
  }

  #createAlarm(
    id: string,
    metric: Metric,
    threshold: number,
    alarmDescription: string,
    options: Partial<Pick<AlarmProps, 'evaluationPeriods' | 'datapointsToAlarm' | 'treatMissingData'>> = {},
  ): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Idle functions and empty queues emit no data.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription,
      ...options,
    });
    if (!this.#action) return;
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
  }
}
