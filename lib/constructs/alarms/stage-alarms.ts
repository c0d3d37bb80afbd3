import type { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { MetricName } from '../../../lambdas/domain/metric-names.ts';
import { MAXIMUM, PERIOD } from '../metric-period.ts';
import type { ParleyFunction } from '../parley-function.ts';

/** What starts an alarm, and what it means. */
export interface StageAlarmProps
  extends Partial<Pick<AlarmProps, 'evaluationPeriods' | 'datapointsToAlarm' | 'treatMissingData'>> {
  readonly metric: IMetric;
  /** A data point breaches if its value is at least this. */
  readonly threshold: number;
  /** What the alarm means, in full sentences. The runbook says what to do. */
  readonly meaning: string;
}

export interface StageAlarmsProps {
  /** The runbook's address, without a fragment. */
  readonly runbook: string;
  /**
   * The topic to notify when an alarm starts and ends.
   *
   * @default none; only CloudWatch shows the alarms
   */
  readonly topic?: ITopic;
}

/** The alarms of a stage. Each links to its section of the runbook, whose heading is the alarm's id. */
export class StageAlarms {
  readonly #scope: Construct;
  readonly #runbook: string;
  readonly #action: SnsAction | undefined;
  readonly #alarms: Alarm[] = [];

  constructor(scope: Construct, { runbook, topic }: StageAlarmsProps) {
    this.#scope = scope;
    this.#runbook = runbook;
    this.#action = topic && new SnsAction(topic);
  }

  /** The alarms so far, in the order in which they were added. */
  get all(): readonly Alarm[] {
    return this.#alarms;
  }

  /** Adds an alarm and returns it. By default, one breaching period starts it, and missing data does not. */
  add(id: string, { meaning, ...props }: StageAlarmProps): Alarm {
    const alarm = new Alarm(this.#scope, id, {
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Idle functions and empty queues emit no data.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      // The fragment of a heading on GitHub, GitLab, and Bitbucket is in lower case.
      alarmDescription: `${meaning} Runbook: ${this.#runbook}#${id.toLowerCase()}`,
      ...props,
    });
    this.#alarms.push(alarm);
    if (!this.#action) return alarm;
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
    return alarm;
  }

  /** Adds an alarm that lasts while a dead-letter queue contains a message. */
  addDeadLetters(id: string, queue: IQueue, meaning: string): void {
    this.add(id, { metric: queue.metricApproximateNumberOfMessagesVisible(MAXIMUM), threshold: 1, meaning });
  }

  /**
   * Adds an alarm that lasts while a message has waited longer than the limit.
   *
   * A queue's own metric leaves out messages that were received three times, so it shows only those that nobody
   * processes. The function that processes them reports the age of those that it retries.
   *
   * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
   */
  addAge(
    id: string,
    queue: IQueue,
    handler: ParleyFunction,
    limit: Duration,
    meaning: string,
    retriedMetric: MetricName = 'RetriedMessageAge',
  ): void {
    const metric = new MathExpression({
      expression: 'MAX([FILL(queued, 0), FILL(retried, 0)])',
      label: 'seconds',
      period: PERIOD,
      usingMetrics: {
        queued: queue.metricApproximateAgeOfOldestMessage(MAXIMUM),
        retried: handler.customMetric(retriedMetric, MAXIMUM),
      },
    });
    this.add(id, { metric, threshold: limit.toSeconds(), meaning });
  }
}
