import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Management } from './management.ts';
import type { ParleyFunction } from './parley-function.ts';
import type { Publishing } from './publisher.ts';
import type { Webhook } from './receiver.ts';
import type { Sending } from './sender.ts';

/** What is watched, and who is told. */
export interface MonitoringProps {
  readonly webhook: Webhook;
  readonly sending: Sending;
  readonly publishing: Publishing;
  readonly management: Management;
  /**
   * The SNS topic that hears of alarms and of their end.
   *
   * @default none, the alarms only show in CloudWatch
   */
  readonly alarmTopicArn?: string;
}

const PERIOD = Duration.minutes(5);

// Past the longest backoff of a waiting request, 15 minutes, with as much again before anybody is woken.
const SEND_WAITS_TOO_LONG = Duration.minutes(30);

// The inbound queue is empty unless the table is out of reach.
const EVENT_WAITS_TOO_LONG = Duration.minutes(10);

// Told within seconds, as a rule; the table's stream keeps what was not told for a day.
const TELLING_LAGS = Duration.minutes(10);

/** The alarms: something waits for a person, something fails, or something falls behind. */
export class Monitoring extends Construct {
  readonly #action: SnsAction | undefined;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { webhook, sending, publishing, management } = props;
    this.#action = props.alarmTopicArn
      ? new SnsAction(Topic.fromTopicArn(this, 'AlarmTopic', props.alarmTopicArn))
      : undefined;

    this.#notEmpty('InboundDeadLetters', webhook.inbound.deadLetterQueue, 'Authentic events that could not be stored');
    this.#notEmpty('SendDeadLetters', sending.requests.deadLetterQueue, 'Send requests that were rejected or given up');
    this.#notEmpty('ScheduleDeadLetters', sending.scheduling.deadLetterQueue, 'Scheduled sends that were not woken');
    this.#notEmpty('UntoldChanges', publishing.untoldChanges, 'Changes that could not be told');
    if (publishing.targets) {
      this.#notEmpty('UndeliveredEvents', publishing.targets.deadLetterQueue, 'Events that a target did not take');
    }
    this.#tooOld(
      'InboundQueueAge',
      webhook.inbound.queue,
      EVENT_WAITS_TOO_LONG,
      'The conversation table is out of reach',
    );
    this.#tooOld('SendQueueAge', sending.requests.queue, SEND_WAITS_TOO_LONG, 'The chat service is down or refuses us');
    this.#alarm(
      'AccountHeld',
      // Powertools counts under the function's service name; each probe that fails counts again.
      new Metric({
        namespace: 'Parley',
        metricName: 'AccountHeld',
        dimensionsMap: { service: 'send' },
        period: PERIOD,
        statistic: 'Sum',
      }),
      1,
      "Nothing is sent but probes: the chat service's account has no credit, or its access token is refused.",
    );
    this.#failing('Receive', webhook.receive);
    this.#failing('Send', sending.send);
    this.#failing('Publish', publishing.publish);
    this.#alarm(
      'TellingLags',
      publishing.publish.lambda.metric('IteratorAge', { period: PERIOD, statistic: 'Maximum' }),
      TELLING_LAGS.toMilliseconds(),
      `Changes were told ${TELLING_LAGS.toMinutes()} minutes late. See the log of publish; the bus does not take events, perhaps.`,
    );
    this.#failing('Manage', management.manage);
    this.#notEmpty('ErasureDeadLetters', management.erasures.deadLetterQueue, 'Erasures that failed again and again');
    this.#alarm(
      'EventsTooLarge',
      webhook.receive.metric('EventTooLarge', PERIOD),
      1,
      'A webhook post was larger than the inbound queue carries and was refused with 413; see the log of receive.',
    );
    this.#alarm(
      'WebhookServerErrors',
      webhook.stage.metricServerError({ period: PERIOD }),
      1,
      'Webhook posts were answered with 5xx and will be redelivered; see the access log and the logs of receive.',
    );
    this.#alarm(
      'ManagementServerErrors',
      management.stage.metricServerError({ period: PERIOD }),
      1,
      'Calls of the management API were answered with 5xx; see the access log and the logs of manage.',
    );
  }

  #notEmpty(id: string, queue: Queue, what: string): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: 'Maximum' });
    this.#alarm(id, metric, 1, `${what} wait for a person in the dead-letter queue.`);
  }

  #tooOld(id: string, queue: Queue, age: Duration, why: string): void {
    const metric = queue.metricApproximateAgeOfOldestMessage({ period: PERIOD, statistic: 'Maximum' });
    this.#alarm(id, metric, age.toSeconds(), `A message has waited for ${age.toMinutes()} minutes. ${why}, perhaps.`);
  }

  #failing(name: string, { lambda }: ParleyFunction): void {
    this.#alarm(
      `${name}Errors`,
      lambda.metricErrors({ period: PERIOD }),
      1,
      `${name} ended with an error or timed out; see its log.`,
    );
    this.#alarm(
      `${name}Throttles`,
      lambda.metricThrottles({ period: PERIOD }),
      1,
      `${name} was not started for lack of concurrency; raise the account's quota.`,
    );
  }

  #alarm(id: string, metric: Metric, threshold: number, alarmDescription: string): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // An idle function or an empty queue reports nothing, and nothing is wrong then.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription,
    });
    if (!this.#action) return;
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
  }
}
