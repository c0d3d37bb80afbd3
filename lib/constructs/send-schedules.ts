import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DeadLetterQueue, grantSendMessage } from './dead-lettered-queue.ts';
import { nameWithin } from './name-within.ts';
import { schedulerPrincipal } from './service-principals.ts';
import { grantKeyUse, keyUser } from './stage-key.ts';
import { partOf, StageRole } from './stage-role.ts';

/** Properties of {@link SendSchedules}. */
export interface SendSchedulesProps {
  /** Where schedules send their requests when they become due. */
  readonly sendQueue: IQueue;
  /** The same for bulk requests. Undefined without the setting `sends.bulkLane`. */
  readonly bulkSendQueue: IQueue | undefined;
  /** What happens to the dead-letter queue when the stack is deleted. The schedules are deleted. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * The customer managed key that encrypts schedules and dead letters.
   *
   * @default keys that the services own
   */
  readonly encryptionKey?: IKey;
}

/** The key of the encryption context in which Scheduler passes a schedule's ARN to KMS. */
const SCHEDULE_CONTEXT = 'aws:scheduler:schedule:arn';

/** The group of one-time schedules for sends with a `sendAt`, and the role that lets them use the send queue. */
export class SendSchedules extends Construct {
  readonly group: ScheduleGroup;
  readonly role: StageRole;
  /** Requests that EventBridge Scheduler could not put on the send queue within a day. */
  readonly deadLetters: DeadLetterQueue;
  readonly #schedules: string;
  readonly #key: IKey | undefined;

  constructor(scope: Construct, id: string, props: SendSchedulesProps) {
    super(scope, id);
    const { sendQueue, bulkSendQueue, removalPolicy, encryptionKey } = props;
    // https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateScheduleGroup.html
    const scheduleGroupName = nameWithin(64, Stack.of(this).stackName);
    this.#schedules = `schedule/${scheduleGroupName}/*`;
    this.#key = encryptionKey;
    // Deleted with the stack: its schedules can do nothing without the stack's role, the table has their requests, and a
    // stage could not be deployed again while a group has its name.
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName, removalPolicy: RemovalPolicy.DESTROY });
    // Scheduler requires a standard queue, but the send queue's dead-letter queue is FIFO.
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', { removalPolicy, encryptionKey });
    this.role = new StageRole(this, 'Role', {
      description: 'Lets EventBridge Scheduler put scheduled sends on the send queue when they become due',
      assumedBy: schedulerPrincipal(this, scheduleGroupName),
    });
    grantSendMessage(this.role, sendQueue, this.deadLetters);
    if (bulkSendQueue) grantSendMessage(partOf(this.role, 'Bulk'), bulkSendQueue);
    this.#grantDecrypt(this.role);
  }

  /** Grants permission to create schedules for sends. */
  grantCreate(grantee: IGrantable): Grant {
    const passRole = Grant.addToPrincipal({
      grantee,
      actions: ['iam:PassRole'],
      resourceArns: [this.role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
    });
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/security_iam_id-based-policy-examples.html
    grantKeyUse(this.#key, grantee, 'scheduler', ['kms:Decrypt', 'kms:GenerateDataKey'], {
      [SCHEDULE_CONTEXT]: this.#schedulesArn(),
    });
    // Separate, because DescribeKey has no encryption context.
    grantKeyUse(this.#key, grantee, 'scheduler', ['kms:DescribeKey']);
    return this.#grant(grantee, 'scheduler:CreateSchedule').combine(passRole);
  }

  /** Grants permission to delete schedules of sends. */
  grantDelete(grantee: IGrantable): Grant {
    return this.#grant(grantee, 'scheduler:DeleteSchedule');
  }

  /**
   * Grants permission to decrypt the schedules of the group. Scheduler calls KMS as the role itself when a schedule is
   * due, so the permission cannot be limited to calls through Scheduler.
   *
   * Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/encryption-rest.html
   */
  #grantDecrypt(grantee: IGrantable): void {
    if (!this.#key) return;
    Grant.addToPrincipal({
      grantee: keyUser(grantee, this.#key),
      actions: ['kms:Decrypt'],
      resourceArns: [this.#key.keyArn],
      conditions: { ArnLike: { [`kms:EncryptionContext:${SCHEDULE_CONTEXT}`]: this.#schedulesArn() } },
    });
  }

  #schedulesArn(): string {
    const { partition, region, account } = Stack.of(this);
    return `arn:${partition}:scheduler:${region}:${account}:${this.#schedules}`;
  }

  #grant(grantee: IGrantable, action: string): Grant {
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
      resourceArns: [this.#schedulesArn()],
    });
  }
}
