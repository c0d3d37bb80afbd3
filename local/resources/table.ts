import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import type { CreatedResource } from '../template/resolver.ts';
import type { CloudServices } from './cloud-services.ts';
import { type DeclaredResource, defineResourceType, unused } from './resource-type.ts';

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const projection = z.strictObject({
  ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
  NonKeyAttributes: z.array(z.string()).optional(),
});
const localIndex = z.strictObject({ IndexName: z.string(), KeySchema: keySchema, Projection: projection });
const globalIndex = localIndex.extend({
  // No request is throttled or counted here.
  ContributorInsightsSpecification: unused,
  OnDemandThroughput: unused,
  ProvisionedThroughput: unused,
  ReadOnDemandThroughputSettings: unused,
  ReadProvisionedThroughputSettings: unused,
  WarmThroughput: unused,
  WriteOnDemandThroughputSettings: unused,
  WriteProvisionedThroughputSettings: unused,
});

const common = {
  TableName: z.string().optional(),
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.array(globalIndex).optional(),
  LocalSecondaryIndexes: z.array(localIndex).optional(),
  StreamSpecification: z
    .strictObject({ StreamViewType: z.enum(['NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY']) })
    .optional(),
  TimeToLiveSpecification: z.strictObject({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
};

const withoutEffect = {
  BillingMode: 'nothing is billed or throttled here',
  ContributorInsightsSpecification: 'no request is counted here',
  DeletionProtectionEnabled: 'the table ends with the run',
  OnDemandThroughput: 'nothing is throttled here',
  PointInTimeRecoverySpecification: 'the table ends with the run',
  ProvisionedThroughput: 'nothing is throttled here',
  ResourcePolicy: 'permissions are not enforced here',
  SSESpecification: 'nothing is encrypted here',
  TableClass: 'nothing is billed here',
  Tags: 'nothing reads them',
  WarmThroughput: 'nothing is throttled here',
  WriteOnDemandThroughputSettings: 'nothing is throttled here',
  WriteProvisionedThroughputSettings: 'nothing is throttled here',
};

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html */
export const table = defineResourceType({
  actsUpon: z.strictObject(common),
  withoutEffect,
  create: (properties, resource, cloud) => createTable(properties, resource, cloud),
});

// A replica of the run's own region is the table itself; its settings are those that have no effect on a table either.
const ownReplica = z.strictObject({
  Region: z.string(),
  ...Object.fromEntries(Object.keys(withoutEffect).map((name) => [name, unused])),
  ReadOnDemandThroughputSettings: unused,
  ReadProvisionedThroughputSettings: unused,
  ReplicaStreamSpecification: unused,
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-globaltable.html */
export const globalTable = defineResourceType({
  actsUpon: z.strictObject({
    ...common,
    Replicas: z.array(ownReplica).length(1, 'there is one region here, so one replica'),
  }),
  withoutEffect,
  create: ({ Replicas: _own, ...properties }, resource, cloud) => createTable(properties, resource, cloud),
});

const createTable = async (
  { TableName, TimeToLiveSpecification, StreamSpecification, ...properties }: z.output<z.ZodObject<typeof common>>,
  { logicalId }: DeclaredResource,
  cloud: CloudServices,
): Promise<CreatedResource> => {
  const name = TableName ?? cloud.physicalName(logicalId);
  const { TableDescription } = await cloud.dynamodb.send(
    new CreateTableCommand({
      TableName: name,
      ...properties,
      GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: StreamSpecification && { StreamEnabled: true, ...StreamSpecification },
    }),
  );
  if (TimeToLiveSpecification) await expire(cloud.dynamodb, name, TimeToLiveSpecification);
  const streamArn = TableDescription?.LatestStreamArn;
  return {
    ref: name,
    attributes: {
      Arn: cloud.arn('dynamodb', `table/${name}`),
      TableId: TableDescription?.TableId ?? name,
      ...(streamArn && { StreamArn: streamArn }),
    },
  };
};

const expire = (
  dynamodb: DynamoDBClient,
  TableName: string,
  TimeToLiveSpecification: { AttributeName: string; Enabled: boolean },
) => dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
