import { z } from 'zod';
import { readEventPattern } from '../events/event-pattern.ts';
import { LocalError } from '../local-error.ts';
import type { CreatedResource } from '../template/resolver.ts';
import type { CloudServices } from './cloud-services.ts';
import { type DeclaredResource, defineResourceType } from './resource-type.ts';

const common = {
  Enabled: z.boolean().default(true),
  EventSourceArn: z.string().regex(/^arn:aws:(sqs|dynamodb):/, 'only SQS queues and DynamoDB streams are known'),
  FunctionName: z.string(),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  MaximumBatchingWindowInSeconds: z.int().min(0).max(300).default(0),
};

const ofQueue = z.strictObject({
  ...common,
  BatchSize: z.int().min(1).max(10_000).default(10),
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.int().min(2).max(1000) }).optional(),
});

/** -1 stands for no limit. */
const limit = (maximum: number) =>
  z
    .int()
    .min(-1)
    .max(maximum)
    .default(-1)
    .transform((value) => (value === -1 ? undefined : value));

const ofStream = z.strictObject({
  ...common,
  BatchSize: z.int().min(1).max(10_000).default(100),
  BisectBatchOnFunctionError: z.boolean().default(false),
  DestinationConfig: z
    .strictObject({
      OnFailure: z.strictObject({ Destination: z.string().startsWith('arn:aws:sqs:', 'only an SQS queue is known') }),
    })
    .optional(),
  FilterCriteria: z.strictObject({ Filters: z.array(z.strictObject({ Pattern: z.string() })) }).optional(),
  MaximumRecordAgeInSeconds: limit(604_800),
  MaximumRetryAttempts: limit(10_000),
  ParallelizationFactor: z.int().min(1).max(10).default(1),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
});

// Every property of either; which of them an event source has is told once the source is known.
const either = z.strictObject(
  Object.fromEntries(
    [...Object.keys(ofQueue.shape), ...Object.keys(ofStream.shape)].map((name) => [name, z.unknown().optional()]),
  ),
);

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html */
export const eventSourceMapping = defineResourceType({
  actsUpon: either,
  withoutEffect: {
    KmsKeyArn: 'nothing is encrypted here',
    MetricsConfig: 'nothing is measured here',
    Tags: 'nothing reads them',
  },
  create(properties, resource, cloud) {
    return String(properties.EventSourceArn).startsWith('arn:aws:dynamodb:')
      ? streamMapping.create({ ...resource, properties }, cloud)
      : queueMapping.create({ ...resource, properties }, cloud);
  },
});

const queueMapping = defineResourceType({
  actsUpon: ofQueue,
  withoutEffect: {},
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
    return created(logicalId, cloud);
  },
});

const streamMapping = defineResourceType({
  actsUpon: ofStream,
  withoutEffect: {},
  create(properties, resource, cloud) {
    const { MaximumRecordAgeInSeconds: maximumAge, FilterCriteria } = properties;
    const filters = FilterCriteria?.Filters.map(({ Pattern }) =>
      readEventPattern(parse(Pattern, resource), resource.logicalId),
    );
    if (properties.Enabled) {
      cloud.declareStreamMapping({
        logicalId: resource.logicalId,
        streamArn: properties.EventSourceArn,
        functionNameOrArn: properties.FunctionName,
        startingPosition: properties.StartingPosition,
        batchSize: properties.BatchSize,
        batchingWindowMs: properties.MaximumBatchingWindowInSeconds * 1000,
        reportsBatchItemFailures: properties.FunctionResponseTypes.length > 0,
        bisectsOnError: properties.BisectBatchOnFunctionError,
        maximumRetryAttempts: properties.MaximumRetryAttempts,
        maximumRecordAgeMs: maximumAge === undefined ? undefined : maximumAge * 1000,
        parallelizationFactor: properties.ParallelizationFactor,
        filters,
        onFailureQueueArn: properties.DestinationConfig?.OnFailure.Destination,
      });
    }
    return created(resource.logicalId, cloud);
  },
});

const created = (logicalId: string, { physicalName }: CloudServices): CreatedResource => ({
  ref: physicalName(logicalId),
  attributes: { Id: physicalName(logicalId) },
});

const parse = (pattern: string, { logicalId, type }: DeclaredResource): unknown => {
  try {
    return JSON.parse(pattern);
  } catch {
    throw new LocalError(`${logicalId} (${type}): a filter's Pattern is not JSON.`);
  }
};
