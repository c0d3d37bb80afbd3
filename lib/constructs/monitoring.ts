import { Annotations, Stack } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { LOCAL_RUN_CONTEXT } from '../settings/check-production.ts';
import { addManagementAlarms } from './alarms/management-alarms.ts';
import { addPublisherAlarms } from './alarms/publisher-alarms.ts';
import { addReceiverAlarms } from './alarms/receiver-alarms.ts';
import { addSenderAlarms } from './alarms/sender-alarms.ts';
import { StageAlarms } from './alarms/stage-alarms.ts';
import { ParleyDashboard } from './dashboard.ts';
import { checkPlace } from './existing-resources.ts';
import { ParleyLogQueries } from './log-queries.ts';
import type { ParleySender } from './sender.ts';
import { functionsOf, type WatchedParts } from './watched-parts.ts';

/** Properties of {@link ParleyMonitoring}. */
export interface ParleyMonitoringProps extends WatchedParts {
  /**
   * The URL of the runbook that each alarm's description links to, without a fragment.
   *
   * @default the file docs/runbook.md, by its path
   */
  readonly runbookUrl?: string;
  /**
   * The topic to notify when an alarm starts and ends.
   *
   * @default none; only CloudWatch shows the alarms
   */
  readonly alarmTopic?: ITopic;
}

/**
 * What operators see of a stage in CloudWatch: alarms for problems that require them, a dashboard, and saved queries of
 * the logs.
 */
export class ParleyMonitoring extends Construct {
  constructor(scope: Construct, id: string, { runbookUrl, alarmTopic, ...parts }: ParleyMonitoringProps) {
    super(scope, id);
    this.#checkTopic(parts.sender, alarmTopic);
    const alarms = new StageAlarms(this, { runbook: runbookUrl ?? 'docs/runbook.md', topic: alarmTopic });
    addReceiverAlarms(alarms, parts.receiver);
    addSenderAlarms(alarms, parts.sender);
    addPublisherAlarms(alarms, parts.publisher);
    addManagementAlarms(alarms, parts.management);
    new ParleyDashboard(this, 'Overview', { ...parts, alarms: alarms.all });
    new ParleyLogQueries(this, 'Queries', {
      logGroups: Object.values(functionsOf(parts)).map(({ logGroup }) => logGroup),
    });
  }

  /** An alarm can notify only a topic in its own region. CloudWatch accepts any other topic, but never notifies it. */
  #checkTopic({ isProduction }: ParleySender, topic: ITopic | undefined): void {
    if (this.node.tryGetContext(LOCAL_RUN_CONTEXT) === true) return;
    const stack = Stack.of(this);
    checkPlace(stack, 'alarmTopicArn', topic?.topicArn, 'region');
    if (!isProduction || topic) return;
    const sentence =
      "No one is notified of this production stage's alarms. Set alarmTopicArn to the ARN of an SNS topic, or pass the " +
      'topic to ParleyMonitoring as alarmTopic.';
    Annotations.of(stack).addWarningV2('parley:alarmTopicArn', sentence);
  }
}
