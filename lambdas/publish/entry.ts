import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createEventBridgeBus, createEventBridgeClient } from '../adapters/eventbridge.ts';
import { parseAwsVariables, parseEnvironment } from '../runtime/environment.ts';
import { createTelemetry, frame, type Invocation } from '../runtime/frame.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';
import { createStreamHandler } from '../runtime/stream-handler.ts';
import { sleep, systemClock, systemRandomness } from '../runtime/system.ts';
import { readItemChange, type StreamRecord } from '../table/item-changes.ts';
import { createTurnQueueHandler } from './end-turn.ts';
import { parseTurnEnvironment, publishEnvironment } from './environment.ts';
import { createPublishChanges } from './publish-changes.ts';
import { createPublishTurn } from './publish-turns.ts';

const environment = parseEnvironment(publishEnvironment, process.env);
const turnEnvironment = parseTurnEnvironment(process.env);
const aws = parseAwsVariables(process.env);
const { log, metrics, middlewares } = createTelemetry();

/** Enough for one attempt: the backoff before it, and its calls with the SDK's retries. */
const REQUIRED_TIME_MS = 15_000;
/** DynamoDB responds within milliseconds. */
const TABLE_CALL = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true };
const AWS_CALL = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/** For changes that cannot be published, and for open turns. */
const sqs = onFirstUse(async () => {
  const adapters = await import('../adapters/sqs.ts');
  return { client: adapters.createSqsClient({ requestHandler: AWS_CALL }), ...adapters };
});

const deadLetters = onFirstUse(async () => {
  const { client, createSqsPublishDeadLetterQueue } = await sqs();
  return createSqsPublishDeadLetterQueue(client, environment.PUBLISH_DEAD_LETTER_QUEUE_URL);
});

/** Loads what turns need; a stage without turns never does. */
const openTurns = (variables: NonNullable<typeof turnEnvironment>) =>
  onFirstUse(async () => {
    const { client, createChangeVisibility, createSqsTurnQueue } = await sqs();
    const { createDynamodbTurns } = await import('../adapters/dynamodb/turns.ts');
    const { createConversationTable } = await import('../adapters/dynamodb/conversation-table.ts');
    const { createDynamodbClient } = await import('../adapters/dynamodb/client.ts');
    const { TURN_QUEUE_URL: queueUrl, AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_NAME: tableName } = variables;
    const turns = createDynamodbTurns(
      createConversationTable({
        client: createDynamodbClient({ ...aws, endpoint, requestHandler: TABLE_CALL }),
        tableName,
        retentionDays: variables.RETENTION_DAYS,
      }),
    );
    const queue = createSqsTurnQueue(client, queueUrl);
    return {
      publishTurn: createPublishTurn({ queue, turns, silenceSeconds: variables.TURN_SILENCE_SECONDS }),
      endTurns: createTurnQueueHandler({
        turns,
        changeVisibility: createChangeVisibility(client, queueUrl),
        clock: systemClock,
        log,
        metrics,
      }),
    };
  });
const turns = turnEnvironment && openTurns(turnEnvironment);

const publishChanges = createPublishChanges({
  // Two attempts only, because publishChanges retries failed events itself.
  bus: createEventBridgeBus(
    createEventBridgeClient({
      ...aws,
      endpoint: environment.AWS_ENDPOINT_URL_EVENTBRIDGE,
      maxAttempts: 2,
      requestHandler: AWS_CALL,
    }),
    environment.EVENT_BUS_NAME,
  ),
  deadLetters: { put: async (change, reason) => (await deadLetters()).put(change, reason) },
  sleep,
  randomness: systemRandomness,
  log,
  metrics,
  content: environment.EVENT_CONTENT,
  publishTurn: turns && (async (change) => (await turns()).publishTurn(change)),
});

const publish = createStreamHandler<StreamRecord>({
  handleRecords: (records, hasTime) => {
    const changes = records.map((record) => ({
      sequenceNumber: record.dynamodb?.SequenceNumber ?? '',
      record,
      readChange: () => readItemChange(record),
    }));
    return publishChanges(changes, hasTime);
  },
  requiredTimeMs: REQUIRED_TIME_MS,
});

interface StreamEvent {
  readonly Records: readonly StreamRecord[];
}

/** Handles records of the table's stream and, in a stage with turns, messages from the turn queue. */
export const handler = frame(async (event: StreamEvent | SQSEvent, invocation: Invocation) => {
  if (!isFromQueue(event)) return publish(event, invocation);
  return turns === undefined ? returnToQueue(event) : (await turns()).endTurns(event, invocation);
}, middlewares);

/**
 * A rollout that turns turns off deletes the queue's mapping only at its end. An error would stop the rollout, and then
 * the previous version needs these messages.
 */
const returnToQueue = ({ Records }: SQSEvent): SQSBatchResponse => ({
  batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});

const isFromQueue = (event: StreamEvent | SQSEvent): event is SQSEvent => {
  const [first] = event.Records;
  return first !== undefined && 'messageId' in first;
};
