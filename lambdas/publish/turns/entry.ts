import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type * as adapters from '../../adapters/sqs.ts';
import type { Clock, Log, Metrics } from '../../ports.ts';
import type { AwsVariables } from '../../runtime/environment.ts';
import type { Invocation } from '../../runtime/frame.ts';
import { onFirstUse } from '../../runtime/on-first-use.ts';
import type { HandleChange } from '../publish-changes.ts';
import { createTurnQueueHandler } from './end-turn.ts';
import { parseTurnEnvironment } from './environment.ts';
import { createPublishTurn } from './publish-turn.ts';

/** What turns share with the rest of the function. */
export interface OpenTurnsOptions {
  readonly environment: Record<string, string | undefined>;
  readonly aws: AwsVariables;
  /** Loads the adapters of SQS, and their client. */
  readonly sqs: () => Promise<typeof adapters & { readonly client: ReturnType<typeof adapters.createSqsClient> }>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What the function does for turns. */
export interface Turns {
  /** Handles a change of a turn. */
  readonly publishTurn: HandleChange;
  /** Handles messages of the turn queue. */
  readonly endTurns: (event: SQSEvent, invocation: Invocation) => Promise<SQSBatchResponse>;
}

/** DynamoDB responds within milliseconds. */
const TABLE_CALL = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true };

/** Returns undefined in a stage without turns, which never loads what they need. */
export const openTurns = ({ environment, aws, sqs, clock, log, metrics }: OpenTurnsOptions): Turns | undefined => {
  const variables = parseTurnEnvironment(environment);
  if (variables === undefined) return undefined;
  const { TURN_QUEUE_URL: queueUrl, AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_NAME: tableName } = variables;
  const opened = onFirstUse(async () => {
    const { client, createChangeVisibility, createSqsTurnQueue } = await sqs();
    const { createDynamodbTurns } = await import('../../adapters/dynamodb/turns.ts');
    const { createConversationTable } = await import('../../adapters/dynamodb/conversation-table.ts');
    const { createDynamodbClient } = await import('../../adapters/dynamodb/client.ts');
    const turns = createDynamodbTurns(
      createConversationTable({
        client: createDynamodbClient({ ...aws, endpoint, requestHandler: TABLE_CALL }),
        tableName,
        retentionDays: variables.RETENTION_DAYS,
      }),
    );
    const queue = createSqsTurnQueue(client, queueUrl);
    const changeVisibility = createChangeVisibility(client, queueUrl);
    return {
      publishTurn: createPublishTurn({ queue, turns, silenceSeconds: variables.TURN_SILENCE_SECONDS }),
      endTurns: createTurnQueueHandler({ turns, changeVisibility, clock, log, metrics }),
    };
  });
  return {
    publishTurn: async (change) => (await opened()).publishTurn(change),
    endTurns: async (event, invocation) => (await opened()).endTurns(event, invocation),
  };
};
