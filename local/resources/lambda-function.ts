import { resolve } from 'node:path';
import { z } from 'zod';
import { LocalError } from '../local-error.ts';
import { defineResourceType } from './resource-type.ts';

/** The runtime that this machine's cloud is itself run by; no other is known here. */
const RUNTIME = 'nodejs24.x';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-function.html */
export const lambdaFunction = defineResourceType({
  actsUpon: z.strictObject({
    // Where the bundle lies is told by the resource's metadata; the bucket is one that only a deployment has.
    Code: z.strictObject({ S3Bucket: z.unknown(), S3Key: z.unknown() }),
    Environment: z.strictObject({ Variables: z.record(z.string(), z.string()).default({}) }).optional(),
    FunctionName: z.string().optional(),
    Handler: z.string(),
    MemorySize: z.int().default(128),
    PackageType: z.literal('Zip').optional(),
    ReservedConcurrentExecutions: z.int().min(1).optional(),
    Runtime: z.literal(RUNTIME, `only ${RUNTIME} is known`),
    Timeout: z.int().min(1).max(900).default(3),
  }),
  withoutEffect: {
    Architectures: 'a bundle of JavaScript is the same on every processor',
    Description: 'nothing reads it',
    EphemeralStorage: 'the size of the temporary folder is not limited here',
    KmsKeyArn: 'nothing is encrypted here',
    LoggingConfig: 'logs go to a file of the run, as the function writes them',
    RecursiveLoop: 'loops are not detected here',
    Role: 'permissions are not enforced here',
    RuntimeManagementConfig: 'functions run on the Node.js of this run',
    Tags: 'nothing reads them',
    TracingConfig: 'nothing is traced here',
  },
  create(properties, { logicalId, metadata }, cloud) {
    const asset = metadata['aws:asset:path'];
    if (typeof asset !== 'string') {
      throw new LocalError(
        `${logicalId} (AWS::Lambda::Function): Code is no asset of the synthesized app, so there is nothing to run.`,
      );
    }
    const name = properties.FunctionName ?? cloud.physicalName(logicalId);
    const arn = cloud.arn('lambda', `function:${name}`);
    cloud.declareFunction({
      name,
      arn,
      logicalId,
      codeFolder: resolve(cloud.assetFolder, asset),
      handler: properties.Handler,
      variables: properties.Environment?.Variables ?? {},
      memoryMb: properties.MemorySize,
      timeoutMs: properties.Timeout * 1000,
      reservedConcurrency: properties.ReservedConcurrentExecutions,
    });
    return { ref: name, attributes: { Arn: arn } };
  },
});
