import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createEventBridgeBus, createEventBridgeClient } from '../adapters/eventbridge.ts';
import { ms } from '../domain/duration.ts';
import { parseAwsVariables, parseEnvironment, variablesOf } from '../runtime/environment.ts';
import { createTelemetry, frame, type Invocation } from '../runtime/frame.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';
import { createStreamHandler } from '../runtime/stream-handler.ts';
import { sleep, systemClock, systemRandomness } from '../runtime/system.ts';
import { readItemChange, type StreamRecord } from '../table/item-changes.ts';
import { publishEnvironment } from './environment.ts';
import { createPublishChanges } from './publish-changes.ts';
import { openTurns } from './turns/entry.ts';

const variables = variablesOf(process.env);
const environment = parseEnvironment(publishEnvironment, variables);
const aws = parseAwsVariables(variables);
const { log, metrics, middlewares } = createTelemetry();

/** Enough for one attempt: the backoff before it, and its calls with the SDK's retries. */
const REQUIRED_TIME_MS = ms(15_000);
const QUEUE_CALL = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
};
/** Two attempts only, because publishChanges retries failed events itself. */
const BUS_CALL = { ...QUEUE_CALL, maxAttempts: 2 };

/** For changes that cannot be published, and for open turns. */
const sqs = onFirstUse(async () => {
  const adapters = await import('../adapters/sqs.ts');
  return { client: adapters.createSqsClient(QUEUE_CALL), ...adapters };
});

const deadLetters = onFirstUse(async () => {
  const { client, createSqsPublishDeadLetterQueue } = await sqs();
  return createSqsPublishDeadLetterQueue(client, environment.PUBLISH_DEAD_LETTER_QUEUE_URL);
});

/** Undefined in a stage without turns. */
const turns = openTurns({ environment: variables, aws, sqs, clock: systemClock, log, metrics });

const publishChanges = createPublishChanges({
  bus: createEventBridgeBus(
    createEventBridgeClient({ ...aws, endpoint: environment.AWS_ENDPOINT_URL_EVENTBRIDGE, ...BUS_CALL }),
    environment.EVENT_BUS_NAME,
  ),
  deadLetters: { put: async (change, reason) => (await deadLetters()).put(change, reason) },
  sleep,
  randomness: systemRandomness,
  log,
  metrics,
  content: environment.EVENT_CONTENT,
  handlers: turns && { turn: turns.publishTurn },
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
  return turns === undefined ? returnToQueue(event) : turns.endTurns(event, invocation);
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
