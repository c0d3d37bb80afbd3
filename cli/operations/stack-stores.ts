import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { AWS_CALL } from './aws-call.ts';
import type { Stores } from './stores.ts';

/** What keeps data besides the stack's resources. */
const ALSO_KEPT = [
  "point-in-time recovery and backups of the table, and the table's stream, which keeps changes for a day",
  'messages that a function or another consumer has in flight, and those behind them in their message group',
  'queues, logs, and databases of other systems that receive the events',
];

interface StackClients {
  readonly sqs: SQSClient;
  readonly client: ConstructorParameters<typeof DynamoDBClient>[0];
  /** The table that the stack uses but did not create. */
  readonly existingTableArn?: string | undefined;
}

/** Finds the stores of a stack. Lists the resources that can hold data but are not searched. */
export const storesOfStack = async (
  cloudFormation: CloudFormationClient,
  StackName: string,
  { sqs, client, existingTableArn }: StackClients,
): Promise<Stores> => {
  const ids = new Map<string, string[]>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client: cloudFormation },
    { StackName },
  )) {
    for (const { ResourceType = '', PhysicalResourceId = '' } of StackResourceSummaries) {
      ids.set(ResourceType, [...(ids.get(ResourceType) ?? []), PhysicalResourceId]);
    }
  }
  const ofType = (type: string): readonly string[] => ids.get(type) ?? [];
  return {
    tables: [
      ...ofType('AWS::DynamoDB::Table'),
      ...ofType('AWS::DynamoDB::GlobalTable'),
      ...(existingTableArn === undefined ? [] : [nameIn(existingTableArn)]),
    ],
    scheduleGroups: ofType('AWS::Scheduler::ScheduleGroup'),
    queueUrls: ofType('AWS::SQS::Queue'),
    notSearched: [
      ...ofType('AWS::Logs::LogGroup').map((name) => `log group ${name}; search it with CloudWatch Logs Insights`),
      ...ofType('AWS::S3::Bucket').map((name) => `bucket ${name}`),
      ...ALSO_KEPT,
    ],
    dynamodb: new DynamoDBClient({ ...AWS_CALL, ...client }),
    scheduler: new SchedulerClient({ ...AWS_CALL, region: client?.region, credentials: client?.credentials }),
    sqs,
  };
};

/** Returns the name of a table from its ARN. */
const nameIn = (tableArn: string): string => tableArn.slice(tableArn.indexOf('/') + 1);
