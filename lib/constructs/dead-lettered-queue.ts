import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ParleyFunction } from './parley-function.ts';

/** How a queue is kept. */
export interface DeadLetteredQueueProps {
  /** Whether each message group is kept in order, and of messages with one deduplication id one is taken in five minutes. */
  readonly fifo: boolean;
  /** The time-out of the function that drains the queue; the visibility time-out follows from it. */
  readonly consumerTimeout: Duration;
  /** How often a message is received before it goes to the dead-letter queue; SQS takes 1 to 1,000. */
  readonly maxReceiveCount: number;
  /**
   * The largest message that the queue takes. Its dead-letter queue takes SQS's largest, so that a copy fits with a reason
   * beside it.
   *
   * @default SQS's largest, 1 MiB
   */
  readonly maxMessageSize?: Size;
  /**
   * Whether the queues outlive their stack, with the messages in them.
   *
   * @default false
   */
  readonly production?: boolean;
}

/**
 * A queue with its dead-letter queue, drained in batches of ten of which each message can fail alone.
 *
 * Both keep a message for 14 days, SQS's longest, and take one of 1 MiB, SQS's largest.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export class DeadLetteredQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: DeadLetteredQueueProps) {
    super(scope, id);
    const kept: QueueProps = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      maxMessageSizeBytes: Size.mebibytes(1).toBytes(),
      removalPolicy: props.production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...(props.fifo && {
        fifo: true,
        // Counted per group: contacts then neither share a throughput limit nor swallow each other's request ids.
        deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
        fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      }),
    };
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', kept);
    this.queue = new Queue(this, 'Queue', {
      ...kept,
      ...(props.maxMessageSize && { maxMessageSizeBytes: props.maxMessageSize.toBytes() }),
      // Six time-outs, as AWS advises, since Lambda itself retries a throttled batch within the visibility time-out.
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
      visibilityTimeout: Duration.seconds(6 * props.consumerTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: props.maxReceiveCount },
    });
  }

  /**
   * Has the function work through the queue.
   *
   * @param maxConcurrency How many invocations may do so at once, 2 to 1,000: a full queue must not take up the account's
   *   concurrency, in which the webhook has to answer within two seconds.
   */
  drainInto(parleyFunction: ParleyFunction, maxConcurrency: number): void {
    parleyFunction.allow(
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
      [this.queue.queueArn],
    );
    new EventSourceMapping(this, 'Mapping', {
      target: parleyFunction.lambda,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
      maxConcurrency,
    });
  }
}
