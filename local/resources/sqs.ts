import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { arnOf } from '../base/aws-environment.ts';
import { defineResourceType } from './resource-type.ts';

const redrivePolicy = z.strictObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.int().min(1).max(1000) });

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html */
export const queue = defineResourceType({
  supports: z.strictObject({
    QueueName: z.string().optional(),
    FifoQueue: z.boolean().optional(),
    ContentBasedDeduplication: z.boolean().optional(),
    DeduplicationScope: z.enum(['messageGroup', 'queue']).optional(),
    VisibilityTimeout: z.int().optional(),
    DelaySeconds: z.int().optional(),
    MaximumMessageSize: z.int().optional(),
    MessageRetentionPeriod: z.int().optional(),
    ReceiveMessageWaitTimeSeconds: z.int().optional(),
    RedrivePolicy: redrivePolicy.optional(),
  }),
  withoutEffect: {
    FifoThroughputLimit: 'nothing is throttled',
    KmsDataKeyReusePeriodSeconds: 'nothing is encrypted',
    KmsMasterKeyId: 'nothing is encrypted',
    RedriveAllowPolicy: 'permissions are not enforced',
    SqsManagedSseEnabled: 'nothing is encrypted',
    Tags: 'nothing reads them',
  },
  async create({ QueueName, ...attributes }, { logicalId }, cloud) {
    const name = QueueName ?? `${cloud.physicalName(logicalId)}${attributes.FifoQueue ? '.fifo' : ''}`;
    await cloud.sqs.send(
      new CreateQueueCommand({
        QueueName: name,
        Attributes: Object.fromEntries(
          Object.entries(attributes)
            .filter(([, value]) => value !== undefined)
            .map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
        ),
      }),
    );
    const url = `${cloud.queueBaseUrl}/${name}`;
    return { ref: url, attributes: { Arn: arnOf('sqs', name), QueueName: name, QueueUrl: url } };
  },
});
