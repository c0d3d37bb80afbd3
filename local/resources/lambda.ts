import { resolve } from 'node:path';
import { z } from 'zod';
import { arnOf } from '../base/aws-environment.ts';
import { parseJson } from '../base/json.ts';
import { LocalError } from '../base/local-error.ts';
import { readEventPattern } from '../emulators/event-pattern.ts';
import type { CreatedResource } from '../template/resolver.ts';
import { type CloudServices, type DeclaredResource, defineResourceType, placeOf } from './resource-type.ts';

/** The only supported runtime, which is also that of the local run itself. */
const RUNTIME = 'nodejs24.x';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-function.html */
export const lambdaFunction = defineResourceType({
  supports: z.strictObject({
    // Not used, because the bucket exists only in a deployment. The resource's metadata names the bundle's folder.
    Code: z.strictObject({ S3Bucket: z.unknown(), S3Key: z.unknown() }),
    Environment: z.strictObject({ Variables: z.record(z.string(), z.string()).default({}) }).optional(),
    FunctionName: z.string().optional(),
    Handler: z.string(),
    LoggingConfig: z
      .strictObject({
        ApplicationLogLevel: z.string().default('INFO'),
        LogFormat: z.enum(['JSON', 'Text']).default('Text'),
        // Not used, because logs go to a file, and the local run writes no system logs.
        LogGroup: z.unknown().optional(),
        SystemLogLevel: z.unknown().optional(),
      })
      .optional(),
    MemorySize: z.int().default(128),
    ReservedConcurrentExecutions: z.int().min(1).optional(),
    Runtime: z.literal(RUNTIME, `only ${RUNTIME} is supported`),
    Timeout: z.int().min(1).max(900).default(3),
  }),
  withoutEffect: {
    Architectures: 'a JavaScript bundle is the same on every processor',
    Description: 'nothing reads it',
    KmsKeyArn: 'nothing is encrypted',
    Role: 'permissions are not enforced',
    Tags: 'nothing reads them',
    TracingConfig: 'nothing is traced',
  },
  create(properties, resource, cloud) {
    const { logicalId, metadata } = resource;
    const asset = metadata['aws:asset:path'];
    if (typeof asset !== 'string') {
      throw new LocalError(`${placeOf(resource)}: Code is not an asset of the synthesized app, so it cannot be run.`);
    }
    const name = properties.FunctionName ?? cloud.physicalName(logicalId);
    const arn = arnOf('lambda', `function:${name}`);
    cloud.declared.functions.push({
      name,
      arn,
      logicalId,
      codeFolder: resolve(cloud.assetFolder, asset),
      handler: properties.Handler,
      variables: properties.Environment?.Variables ?? {},
      memoryMb: properties.MemorySize,
      timeoutMs: properties.Timeout * 1000,
      reservedConcurrency: properties.ReservedConcurrentExecutions,
      logLevel:
        properties.LoggingConfig?.LogFormat === 'JSON' ? properties.LoggingConfig.ApplicationLogLevel : undefined,
    });
    return { ref: name, attributes: { Arn: arn } };
  },
});

const common = {
  Enabled: z.boolean().default(true),
  EventSourceArn: z.string().regex(/^arn:aws:(sqs|dynamodb):/, 'only SQS queues and DynamoDB streams are supported'),
  FunctionName: z.string(),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  MaximumBatchingWindowInSeconds: z.int().min(0).max(300).default(0),
};

const queueProperties = z.strictObject({
  ...common,
  BatchSize: z.int().min(1).max(10_000).default(10),
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.int().min(2).max(1000) }).optional(),
});

/** A limit, where -1 means no limit. */
const limit = (maximum: number) =>
  z
    .int()
    .min(-1)
    .max(maximum)
    .default(-1)
    .transform((value) => (value === -1 ? undefined : value));

const streamProperties = z.strictObject({
  ...common,
  BatchSize: z.int().min(1).max(10_000).default(100),
  BisectBatchOnFunctionError: z.boolean().default(false),
  DestinationConfig: z
    .strictObject({
      OnFailure: z.strictObject({
        Destination: z.string().startsWith('arn:aws:sqs:', 'only SQS queues are supported'),
      }),
    })
    .optional(),
  FilterCriteria: z
    .strictObject({ Filters: z.array(z.strictObject({ Pattern: z.string().max(4_096) })).max(5) })
    .optional(),
  MaximumRecordAgeInSeconds: limit(604_800),
  MaximumRetryAttempts: limit(10_000),
  ParallelizationFactor: z.int().min(1).max(10).default(1),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
});

/** The properties of both kinds of mapping. Which ones are allowed depends on the event source. */
const anyProperties = z.strictObject(
  Object.fromEntries(
    [...Object.keys(queueProperties.shape), ...Object.keys(streamProperties.shape)].map((name) => [
      name,
      z.unknown().optional(),
    ]),
  ),
);

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html */
export const eventSourceMapping = defineResourceType({
  supports: anyProperties,
  withoutEffect: {
    KmsKeyArn: 'nothing is encrypted',
    Tags: 'nothing reads them',
  },
  create(properties, resource, cloud) {
    const isStream = String(properties.EventSourceArn).startsWith('arn:aws:dynamodb:');
    return (isStream ? streamMapping : queueMapping).create({ ...resource, properties }, cloud);
  },
});

const queueMapping = defineResourceType({
  supports: queueProperties,
  withoutEffect: {},
  create(properties, { logicalId }, cloud) {
    if (properties.Enabled) {
      cloud.declared.queueMappings.push({
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
  supports: streamProperties,
  withoutEffect: {},
  create(properties, resource, cloud) {
    const { MaximumRecordAgeInSeconds: maximumAge, FilterCriteria } = properties;
    const filters = FilterCriteria?.Filters.map(({ Pattern }) =>
      readEventPattern(parsePattern(Pattern, resource), resource.logicalId),
    );
    if (properties.Enabled) {
      cloud.declared.streamMappings.push({
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

const parsePattern = (pattern: string, resource: DeclaredResource): unknown => {
  const parsed = parseJson(pattern);
  if (parsed !== undefined) return parsed;
  throw new LocalError(`${placeOf(resource)}: a filter's Pattern is not JSON.`);
};
