import { z } from 'zod';
import { defineResourceType } from './resource-type.ts';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html */
export const eventSourceMapping = defineResourceType({
  actsUpon: z.strictObject({
    BatchSize: z.int().min(1).max(10_000).default(10),
    Enabled: z.boolean().default(true),
    EventSourceArn: z.string().startsWith('arn:aws:sqs:', 'only SQS queues are known as event sources'),
    FunctionName: z.string(),
    FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
    MaximumBatchingWindowInSeconds: z.int().min(0).max(300).default(0),
    ScalingConfig: z.strictObject({ MaximumConcurrency: z.int().min(2).max(1000) }).optional(),
  }),
  withoutEffect: {
    KmsKeyArn: 'nothing is encrypted here',
    MetricsConfig: 'nothing is measured here',
    Tags: 'nothing reads them',
  },
  create(properties, { logicalId }, cloud) {
    if (properties.Enabled) {
      cloud.declareEventSourceMapping({
        logicalId,
        queueArn: properties.EventSourceArn,
        functionNameOrArn: properties.FunctionName,
        batchSize: properties.BatchSize,
        batchingWindowMs: properties.MaximumBatchingWindowInSeconds * 1000,
        reportsBatchItemFailures: properties.FunctionResponseTypes.length > 0,
        maximumConcurrency: properties.ScalingConfig?.MaximumConcurrency,
      });
    }
    return { ref: cloud.physicalName(logicalId), attributes: { Id: cloud.physicalName(logicalId) } };
  },
});
