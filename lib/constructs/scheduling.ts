import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import type { ParleyFunction } from './parley-function.ts';

/** What scheduled sends need. */
export interface SchedulingProps {
  /** The send queue, to which a schedule brings its request back. */
  readonly sendQueue: Queue;
  /** The name of the group that holds the schedules. */
  readonly groupName: string;
  /**
   * Whether schedules and their dead-letter queue outlive their stack.
   *
   * @default false
   */
  readonly production?: boolean;
}

/** Where the one-time schedules of sends with a `sendAt` are held, and what they may do: wake the send queue. */
export class Scheduling extends Construct {
  readonly group: ScheduleGroup;
  /** Wake-ups that Scheduler could not put on the send queue within a day. */
  readonly deadLetterQueue: DeadLetterQueue;
  readonly role: Role;
  readonly #groupName: string;

  constructor(scope: Construct, id: string, props: SchedulingProps) {
    super(scope, id);
    this.#groupName = props.groupName;
    const removalPolicy = props.production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName: props.groupName, removalPolicy });
    // Scheduler asks for a standard queue, so that the send queue's own dead-letter queue does not do.
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
    this.deadLetterQueue = new DeadLetterQueue(this, 'DeadLetterQueue', props);
    this.role = new Role(this, 'Role', {
      description: 'Lets schedules wake the send queue',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    this.role.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        resources: [props.sendQueue.queueArn, this.deadLetterQueue.queueArn],
      }),
    );
  }

  /** Allows a function to set the alarms of sends. */
  allowSetting(parleyFunction: ParleyFunction): void {
    this.#allow(parleyFunction, 'scheduler:CreateSchedule');
    parleyFunction.allow(['iam:PassRole'], [this.role.roleArn], {
      StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
    });
  }

  /** Allows a function to take the alarms of sends back. */
  allowRemoving(parleyFunction: ParleyFunction): void {
    this.#allow(parleyFunction, 'scheduler:DeleteSchedule');
  }

  #allow(parleyFunction: ParleyFunction, action: string): void {
    const schedules = `schedule/${this.#groupName}/*`;
    const { partition, region, account } = Stack.of(this);
    parleyFunction.allow([action], [`arn:${partition}:scheduler:${region}:${account}:${schedules}`]);
    Validations.of(parleyFunction).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:${schedules}]`,
      reason: "Each scheduled send has a schedule of its own, named by its request; all are in the stack's own group.",
    });
  }
}
