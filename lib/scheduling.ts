import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ParleyFunction } from './parley-function.ts';

/** What scheduled sends need. */
export interface SchedulingProps {
  /** The send queue, to which a schedule brings its request back. */
  readonly sendQueue: Queue;
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
  readonly deadLetterQueue: Queue;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: SchedulingProps) {
    super(scope, id);
    const removalPolicy = props.production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.group = new ScheduleGroup(this, 'Group', { removalPolicy });
    // Scheduler asks for a standard queue, so that the send queue's own dead-letter queue does not do.
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy,
    });
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
    parleyFunction.allow(['scheduler:CreateSchedule'], [this.#schedulesArn()]);
    parleyFunction.allow(['iam:PassRole'], [this.role.roleArn], {
      StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
    });
  }

  /** Allows a function to take the alarms of sends back. */
  allowRemoving(parleyFunction: ParleyFunction): void {
    parleyFunction.allow(['scheduler:DeleteSchedule'], [this.#schedulesArn()]);
  }

  /** The group's schedules: each is named by its request, which nobody knows when the stack is made. */
  #schedulesArn(): string {
    const resourceName = `${this.group.scheduleGroupName}/*`;
    return Stack.of(this).formatArn({ service: 'scheduler', resource: 'schedule', resourceName });
  }
}
