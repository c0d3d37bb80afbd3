import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** How a dead-letter queue is kept. */
export interface DeadLetterQueueProps {
  /**
   * Whether the queue outlives its stack, with the messages in it.
   *
   * @default false
   */
  readonly production?: boolean;
}

/** A standard queue, of which a service asks for its dead letters, that keeps what a person has to look at for 14 days. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, { production }: DeadLetterQueueProps) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      // As much as a queue takes.
      // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
      maxMessageSizeBytes: 1024 * 1024,
      removalPolicy: production ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: "It is itself a dead-letter queue, though not of another queue's.",
    });
  }
}
