import { QueueAttributeName } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { arnOf } from '../../base/aws-environment.ts';
import { parseJson } from '../../base/json.ts';
import type { Queue, QueueSettings } from './queue.ts';
import { SqsError, unsupported } from './sqs-error.ts';

const integer = (min: number, max: number) => z.coerce.number().pipe(z.int().min(min).max(max));
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
const queueAttributes = z.object({
  FifoQueue: z.literal('true').optional(),
  ContentBasedDeduplication: flag.optional(),
  DeduplicationScope: z.enum(['queue', 'messageGroup']).optional(),
  DelaySeconds: integer(0, 900).default(0),
  VisibilityTimeout: integer(0, 43_200).default(30),
  MessageRetentionPeriod: integer(60, 1_209_600).default(345_600),
  ReceiveMessageWaitTimeSeconds: integer(0, 20).default(0),
  MaximumMessageSize: integer(1024, 1_048_576).default(1_048_576),
  RedrivePolicy: z
    .string()
    .transform(parseJson)
    .pipe(z.strictObject({ deadLetterTargetArn: z.string(), maxReceiveCount: integer(1, 1000) }))
    .optional(),
});

const FIFO_ATTRIBUTES = ['ContentBasedDeduplication', 'DeduplicationScope'];

/** @throws SqsError if SQS has no attribute with one of the names. */
export const checkAttributeNames = (names: readonly string[]): void => {
  const known: readonly string[] = Object.values(QueueAttributeName);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
};

/**
 * Reads the settings of a queue.
 *
 * @param findByArn Returns the queue with an ARN, if it exists.
 * @throws SqsError if SQS would refuse the name or an attribute, or if the emulator does not support the attribute.
 */
export const readSettings = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  findByArn: (arn: string) => Queue | undefined,
): QueueSettings => {
  checkAttributeNames(Object.keys(attributes));
  const unknown = Object.keys(attributes).find((key) => !Object.hasOwn(queueAttributes.shape, key));
  if (unknown !== undefined) throw unsupported(`the queue attribute ${unknown}`);
  const { data, error } = queueAttributes.safeParse(attributes);
  if (error) {
    const faulty = String(error.issues[0]?.path[0]);
    throw new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${faulty}.`);
  }
  const isFifo = data.FifoQueue === 'true';
  checkName(name, isFifo);
  const fifoOnly = isFifo ? undefined : FIFO_ATTRIBUTES.find((key) => Object.hasOwn(attributes, key));
  if (fifoOnly !== undefined) throw new SqsError('InvalidAttributeName', `Unknown Attribute ${fifoOnly}.`);
  const { RedrivePolicy } = data;
  if (RedrivePolicy) checkDeadLetterQueue(isFifo, findByArn(RedrivePolicy.deadLetterTargetArn));
  return {
    name,
    arn: arnOf('sqs', name),
    isFifo,
    contentBasedDeduplication: data.ContentBasedDeduplication ?? false,
    deduplicationScope: data.DeduplicationScope ?? 'queue',
    delaySeconds: data.DelaySeconds,
    visibilityTimeoutSeconds: data.VisibilityTimeout,
    retentionSeconds: data.MessageRetentionPeriod,
    receiveWaitSeconds: data.ReceiveMessageWaitTimeSeconds,
    maximumMessageBytes: data.MaximumMessageSize,
    redrive: RedrivePolicy && {
      deadLetterQueueArn: RedrivePolicy.deadLetterTargetArn,
      maxReceiveCount: RedrivePolicy.maxReceiveCount,
    },
  };
};

const checkName = (name: string, isFifo: boolean): void => {
  const isValid = name.length <= 80 && (isFifo ? /^[\w-]+\.fifo$/ : /^[\w-]+$/).test(name);
  if (isValid) return;
  const rule = 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length';
  throw new SqsError('InvalidParameterValue', isFifo ? `${rule}, ending with .fifo` : rule);
};

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html */
const checkDeadLetterQueue = (isFifo: boolean, target: Queue | undefined): void => {
  const fault = (sentence: string) => new SqsError('InvalidParameterValue', `RedrivePolicy is invalid: ${sentence}`);
  if (target === undefined) throw fault('Dead letter target does not exist.');
  if (target.settings.isFifo !== isFifo) throw fault('Dead-letter queue must be same type of queue as the source.');
};

/** Returns a queue's attributes as SQS names them. */
export const writeAttributes = ({ settings, createdAt, ...queue }: Queue): Readonly<Record<string, string>> => {
  const { visible, inFlight, delayed } = queue.depths();
  const { redrive } = settings;
  const createdSeconds = String(Math.floor(createdAt / 1000));
  return {
    QueueArn: settings.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: createdSeconds,
    LastModifiedTimestamp: createdSeconds,
    DelaySeconds: String(settings.delaySeconds),
    VisibilityTimeout: String(settings.visibilityTimeoutSeconds),
    MessageRetentionPeriod: String(settings.retentionSeconds),
    ReceiveMessageWaitTimeSeconds: String(settings.receiveWaitSeconds),
    MaximumMessageSize: String(settings.maximumMessageBytes),
    ...(redrive && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: redrive.deadLetterQueueArn,
        maxReceiveCount: redrive.maxReceiveCount,
      }),
    }),
    ...(settings.isFifo && {
      FifoQueue: 'true',
      ContentBasedDeduplication: String(settings.contentBasedDeduplication),
      DeduplicationScope: settings.deduplicationScope,
    }),
  };
};
