import { type RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Grant, type IGrantable, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DeadLetterQueue } from './dead-lettered-queue.ts';

/** Properties of {@link SendSchedules}. */
export interface SendSchedulesProps {
  /** The queue to which a schedule sends its request when it becomes due. */
  readonly sendQueue: IQueue;
  /** What happens to the schedules and their dead-letter queue when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
}

/** The group of one-time schedules for sends with a `sendAt`, and the role that lets them use the send queue. */
export class SendSchedules extends Construct {
  readonly group: ScheduleGroup;
  readonly role: Role;
  /** Requests that EventBridge Scheduler could not put on the send queue within a day. */
  readonly deadLetters: DeadLetterQueue;
  readonly #schedules: string;

  constructor(scope: Construct, id: string, { sendQueue, removalPolicy }: SendSchedulesProps) {
    super(scope, id);
    const scheduleGroupName = Stack.of(this).stackName;
    this.#schedules = `schedule/${scheduleGroupName}/*`;
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName, removalPolicy });
    // Scheduler requires a standard queue, but the send queue's dead-letter queue is FIFO.
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', { removalPolicy });
    this.role = new Role(this, 'Role', {
      description: 'Lets EventBridge Scheduler put scheduled sends on the send queue when they become due',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    Grant.addToPrincipal({
      grantee: this.role,
      actions: ['sqs:SendMessage'],
      resourceArns: [sendQueue.queueArn, this.deadLetters.queueArn],
    });
  }

  /** Grants permission to create schedules for sends. */
  grantCreate(grantee: IGrantable): Grant {
    const passRole = Grant.addToPrincipal({
      grantee,
      actions: ['iam:PassRole'],
      resourceArns: [this.role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    });
    return this.#grant(grantee, 'scheduler:CreateSchedule').combine(passRole);
  }

  /** Grants permission to delete schedules of sends. */
  grantDelete(grantee: IGrantable): Grant {
    return this.#grant(grantee, 'scheduler:DeleteSchedule');
  }

  #grant(grantee: IGrantable, action: string): Grant {
    const { partition, region, account } = Stack.of(this);
    const { grantPrincipal } = grantee;
    if (Construct.isConstruct(grantPrincipal)) {
      Validations.of(grantPrincipal).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:${this.#schedules}]`,
        reason: "Each scheduled send has its own schedule, named after its request, in the stack's own group.",
      });
    }
    return Grant.addToPrincipal({
      grantee,
      actions: [action],
      resourceArns: [`arn:${partition}:scheduler:${region}:${account}:${this.#schedules}`],
    });
  }
}
