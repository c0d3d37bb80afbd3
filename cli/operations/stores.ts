import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SQSClient } from '@aws-sdk/client-sqs';

/** Where a stack keeps data, and the clients to read it with. */
export interface Stores {
  readonly tables: readonly string[];
  readonly scheduleGroups: readonly string[];
  readonly queueUrls: readonly string[];
  /** The folder of the functions' logs; undefined if they are not on this machine. */
  readonly logFolder?: string;
  /** What else keeps data but is not searched. */
  readonly notSearched: readonly string[];
  readonly dynamodb: DynamoDBClient;
  readonly scheduler: SchedulerClient;
  readonly sqs: SQSClient;
}
