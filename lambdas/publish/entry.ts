import { readItemChange, type StreamRecord } from '../adapters/dynamodb/stream-records.ts';
import { createEventBridgeBus, createEventBridgeClient } from '../adapters/eventbridge.ts';
import type { PublishDeadLetterQueue } from '../ports.ts';
import { parseAwsVariables, parseEnvironment } from '../runtime/environment.ts';
import { createTelemetry, frame } from '../runtime/frame.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';
import { createStreamHandler } from '../runtime/stream-handler.ts';
import { sleep, systemRandomness } from '../runtime/system.ts';
import { publishEnvironment } from './environment.ts';
import { createPublishChanges } from './publish-changes.ts';

const environment = parseEnvironment(publishEnvironment, process.env);
const { log, metrics, middlewares } = createTelemetry();

/** Enough for one attempt: the backoff before it, and its calls with the SDK's retries. */
const REQUIRED_TIME_MS = 15_000;
const AWS_CALL = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/** For changes that cannot be published. */
const deadLetters = onFirstUse(async (): Promise<PublishDeadLetterQueue> => {
  const { createSqsClient, createSqsPublishDeadLetterQueue } = await import('../adapters/sqs.ts');
  const client = createSqsClient({ requestHandler: AWS_CALL });
  return createSqsPublishDeadLetterQueue(client, environment.PUBLISH_DEAD_LETTER_QUEUE_URL);
});

const publishChanges = createPublishChanges({
  // Two attempts only, because publishChanges retries failed events itself.
  bus: createEventBridgeBus(
    createEventBridgeClient({
      ...parseAwsVariables(process.env),
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
  content: environment.EVENT_CONTENT === 'true',
});

export const handler = frame(
  createStreamHandler<StreamRecord>({
    handleRecords: (records, hasTime) => {
      const changes = records.map((record) => ({
        sequenceNumber: record.dynamodb?.SequenceNumber ?? '',
        record,
        readChange: () => readItemChange(record),
      }));
      return publishChanges(changes, hasTime);
    },
    requiredTimeMs: REQUIRED_TIME_MS,
  }),
  middlewares,
);
