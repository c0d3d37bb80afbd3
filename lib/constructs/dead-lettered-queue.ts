import { Duration, type RemovalPolicy, Size, Validations } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  type IQueue,
  Queue,
  QueueEncryption,
  type QueueProps,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { grantKeyUse, updateAfterKeyUse } from './stage-key.ts';

/** Properties of a {@link DeadLetterQueue}. */
export interface DeadLetterQueueProps {
  /** What happens to the queue and its messages when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * Whether the queue is FIFO, as the dead-letter queue of a FIFO queue must be.
   *
   * @default false
   */
  readonly fifo?: boolean;
  /**
   * The customer managed key that encrypts messages.
   *
   * @default a key that SQS owns
   */
  readonly encryptionKey?: IKey;
}

/**
 * A queue for messages that a service could not deliver or process.
 *
 * It keeps messages for 14 days and accepts messages of up to 1 MiB; both are the maximum that SQS allows.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id, queueProps(props));
    updateAfterKeyUse(this, props.encryptionKey);
    Validations.of(this).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'This queue is itself a dead-letter queue.' });
  }
}

/** Properties of a {@link DeadLetteredQueue}. */
export interface DeadLetteredQueueProps extends DeadLetterQueueProps {
  /** How long a received message stays invisible: at least the timeout of the function that consumes the queue. */
  readonly visibilityTimeout: Duration;
  /**
   * The maximum message size.
   *
   * @default 1 MiB, the maximum that SQS allows
   */
  readonly maxMessageSize?: Size;
  /**
   * The dead-letter queue, if several queues share one.
   *
   * @default a new one
   */
  readonly deadLetters?: DeadLetterQueue;
}

/**
 * The SQS maximum. An event may wait for the table for hours, a send until `notAfter`, and an erasure takes many passes.
 */
const MAX_RECEIVE_COUNT = 1000;

/** A queue with a dead-letter queue. It is consumed in batches of ten, in which each message can fail on its own. */
export class DeadLetteredQueue extends Queue {
  /** Accepts messages of the maximum size, so that a reason fits alongside the message. */
  readonly deadLetters: DeadLetterQueue;
  /** What says who may put messages on the queue. */
  readonly policyResource: IConstruct;

  constructor(scope: Construct, id: string, given: DeadLetteredQueueProps) {
    const { visibilityTimeout, maxMessageSize, deadLetters: shared, ...props } = given;
    const deadLetters = shared ?? new DeadLetterQueue(scope, `${id}DeadLetters`, props);
    super(scope, id, {
      ...queueProps(props),
      ...(maxMessageSize && { maxMessageSizeBytes: maxMessageSize.toBytes() }),
      visibilityTimeout,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
      // SQS moves dead letters without regard to the policy of the queue that they move to.
      redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL },
    });
    updateAfterKeyUse(this, props.encryptionKey);
    this.deadLetters = deadLetters;
    // `enforceSSL` has created it.
    this.policyResource = this.node.findChild('Policy');
  }

  /**
   * Lets a function consume the queue.
   *
   * @param maxConcurrency The maximum number of concurrent invocations, 2 to 1,000. It keeps a full queue from using up
   *   the account's concurrency, which the webhook needs to keep its promise of two seconds.
   * @param grantee What gets the permission: a part of the consumer's role for an optional queue.
   */
  addConsumer(consumer: IFunction, maxConcurrency: number, grantee: IGrantable = consumer): void {
    grantConsume(grantee, this);
    new EventSourceMapping(this, 'Mapping', {
      target: consumer,
      eventSourceArn: this.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
      maxConcurrency,
    });
  }
}

/** Grants permission to receive and delete the messages of queues, and to change their visibility. */
export function grantConsume(grantee: IGrantable, ...queues: readonly IQueue[]): void {
  // The permission for ChangeMessageVisibility includes ChangeMessageVisibilityBatch.
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
  Grant.addToPrincipal({
    grantee,
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    resourceArns: queues.map(({ queueArn }) => queueArn),
  });
  grantQueueKeys(grantee, queues, ['kms:Decrypt']);
}

/** Grants permission to put messages on queues. */
export function grantSendMessage(grantee: IGrantable, ...queues: readonly IQueue[]): Grant {
  // SQS decrypts each new data key once to verify it.
  grantQueueKeys(grantee, queues, ['kms:Decrypt', 'kms:GenerateDataKey']);
  return Grant.addToPrincipal({
    grantee,
    actions: ['sqs:SendMessage'],
    resourceArns: queues.map(({ queueArn }) => queueArn),
  });
}

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html */
function grantQueueKeys(grantee: IGrantable, queues: readonly IQueue[], actions: string[]): void {
  const keys = new Map(queues.map(({ encryptionMasterKey: key }) => [key?.keyArn, key]));
  for (const key of keys.values()) grantKeyUse(key, grantee, 'sqs', actions);
}

/**
 * How long SQS reuses a data key before it requests another one from KMS, from a minute to a day. For this long, queues
 * continue to work if KMS is unavailable or the key is disabled.
 */
const DATA_KEY_REUSE = Duration.hours(1);

function queueProps({ removalPolicy, fifo = false, encryptionKey }: DeadLetterQueueProps): QueueProps {
  return {
    ...(encryptionKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey, dataKeyReuse: DATA_KEY_REUSE }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    maxMessageSizeBytes: Size.mebibytes(1).toBytes(),
    removalPolicy,
    ...(fifo && {
      fifo: true,
      // Per message group, so that contacts do not share a throughput limit or deduplicate each other's request ids.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    }),
  };
}

/**
 * The visibility timeout that AWS recommends for a queue that Lambda consumes: six times the function's timeout,
 * because Lambda retries a throttled batch within it.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const recommendedVisibilityTimeout = (functionTimeout: Duration): Duration =>
  Duration.seconds(6 * functionTimeout.toSeconds());
