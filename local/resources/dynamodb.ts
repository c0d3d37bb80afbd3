import { CreateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { arnOf } from '../base/aws-environment.ts';
import type { CreatedResource } from '../template/resolver.ts';
import { type CloudServices, type DeclaredResource, defineResourceType } from './resource-type.ts';

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const projection = z.strictObject({
  ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
  NonKeyAttributes: z.array(z.string()).optional(),
});
const globalSecondaryIndex = z.strictObject({ IndexName: z.string(), KeySchema: keySchema, Projection: projection });

const properties = z.strictObject({
  TableName: z.string().optional(),
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.array(globalSecondaryIndex).optional(),
  StreamSpecification: z
    .strictObject({ StreamViewType: z.enum(['NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY']) })
    .optional(),
  TimeToLiveSpecification: z.strictObject({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

const withoutEffect = {
  BillingMode: 'nothing is billed or throttled',
  DeletionProtectionEnabled: 'the table ends with the run',
  PointInTimeRecoverySpecification: 'the table ends with the run',
  SSESpecification: 'nothing is encrypted',
  Tags: 'nothing reads them',
};

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html */
export const table = defineResourceType({
  supports: properties,
  withoutEffect,
  create: (declared, resource, cloud) => createTable(declared, resource, cloud),
});

const createTable = async (
  { TableName, TimeToLiveSpecification, StreamSpecification, ...declared }: z.output<typeof properties>,
  { logicalId }: DeclaredResource,
  cloud: CloudServices,
): Promise<CreatedResource> => {
  const name = TableName ?? cloud.physicalName(logicalId);
  const { TableDescription } = await cloud.dynamodb.send(
    new CreateTableCommand({
      TableName: name,
      ...declared,
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: StreamSpecification && { StreamEnabled: true, ...StreamSpecification },
    }),
  );
  if (TimeToLiveSpecification) {
    await cloud.dynamodb.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  }
  const streamArn = TableDescription?.LatestStreamArn;
  return {
    ref: name,
    attributes: {
      Arn: arnOf('dynamodb', `table/${name}`),
      TableId: TableDescription?.TableId ?? name,
      ...(streamArn && { StreamArn: streamArn }),
    },
  };
};
