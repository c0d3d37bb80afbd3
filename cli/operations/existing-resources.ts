import { z } from 'zod';
import { awsEndpoint } from './aws-endpoint.ts';
import { callAws } from './call-aws.ts';
import type { Signer } from './signed-fetch.ts';

/** What Parley needs of a table that the stack did not create. */
export interface TableState {
  /** The keys of the table and of each index, such as `byState: <partition>, <sort>`. */
  readonly keys: readonly string[];
  /** The latest stream, if it is enabled with new and old images. */
  readonly streamArn: string | undefined;
  /** The attribute by which items expire. */
  readonly ttlAttribute: string | undefined;
  readonly hasPointInTimeRecovery: boolean;
  readonly isProtected: boolean;
}

const keySchema = z.array(z.object({ AttributeName: z.string() }));
const description = z.object({
  Table: z.object({
    KeySchema: keySchema,
    GlobalSecondaryIndexes: z.array(z.object({ IndexName: z.string(), KeySchema: keySchema })).default([]),
    StreamSpecification: z.object({ StreamEnabled: z.boolean(), StreamViewType: z.string().optional() }).optional(),
    LatestStreamArn: z.string().optional(),
    DeletionProtectionEnabled: z.boolean().default(false),
  }),
});
const timeToLive = z.object({
  TimeToLiveDescription: z.object({ TimeToLiveStatus: z.string(), AttributeName: z.string().optional() }),
});
const backups = z.object({
  ContinuousBackupsDescription: z.object({
    PointInTimeRecoveryDescription: z.object({ PointInTimeRecoveryStatus: z.string() }).optional(),
  }),
});

/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html */
export const readTable = async (tableArn: string, signer: Signer): Promise<TableState> => {
  const describe = (operation: string) =>
    call('dynamodb', 'AWS_ENDPOINT_URL_DYNAMODB', `DynamoDB_20120810.${operation}`, { TableName: tableArn }, signer);
  const [table, ttl, recovery] = await Promise.all([
    describe('DescribeTable'),
    describe('DescribeTimeToLive'),
    describe('DescribeContinuousBackups'),
  ]);
  const { KeySchema, GlobalSecondaryIndexes, ...rest } = description.parse(table).Table;
  const { TimeToLiveStatus, AttributeName } = timeToLive.parse(ttl).TimeToLiveDescription;
  const { PointInTimeRecoveryDescription } = backups.parse(recovery).ContinuousBackupsDescription;
  const { StreamEnabled, StreamViewType } = rest.StreamSpecification ?? { StreamEnabled: false };
  return {
    keys: [
      `table: ${namesIn(KeySchema)}`,
      ...GlobalSecondaryIndexes.map((index) => `${index.IndexName}: ${namesIn(index.KeySchema)}`),
    ],
    streamArn: StreamEnabled && StreamViewType === 'NEW_AND_OLD_IMAGES' ? rest.LatestStreamArn : undefined,
    ttlAttribute: /^ENABL/.test(TimeToLiveStatus) ? AttributeName : undefined,
    hasPointInTimeRecovery: PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED',
    isProtected: rest.DeletionProtectionEnabled,
  };
};

const namesIn = (keys: z.output<typeof keySchema>): string => keys.map(({ AttributeName }) => AttributeName).join(', ');

/** Fails if the bus does not exist. Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DescribeEventBus.html */
export const readEventBus = async (eventBusArn: string, signer: Signer): Promise<void> => {
  await call('events', 'AWS_ENDPOINT_URL_EVENTBRIDGE', 'AWSEvents.DescribeEventBus', { Name: eventBusArn }, signer);
};

const keyPolicy = z.object({ Policy: z.string() });

/** Returns the JSON of a key's policy. Source: https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyPolicy.html */
export const readKeyPolicy = async (keyArn: string, signer: Signer): Promise<unknown> => {
  const input = { KeyId: keyArn, PolicyName: 'default' };
  return JSON.parse(
    keyPolicy.parse(await call('kms', 'AWS_ENDPOINT_URL_KMS', 'TrentService.GetKeyPolicy', input, signer)).Policy,
  );
};

const call = async (
  service: string,
  variable: string,
  operation: string,
  input: object,
  { region, credentials }: Signer,
): Promise<unknown> =>
  callAws({ service, url: awsEndpoint(service, variable, region), region, credentials }, operation, input);
