import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { createEventbridgeEventBus } from '../aws/eventbridge-event-bus.ts';
import { createPowertoolsLog, createPowertoolsMetrics } from '../aws/powertools.ts';
import { createSqsUntoldChanges } from '../aws/sqs-untold-changes.ts';
import { readStreamChange, type StreamRecord } from '../aws/stream-change.ts';
import { readEnvironment } from '../environment.ts';
import { machinePause, machineRandomness } from '../machine.ts';
import { publishEnvironment } from './environment.ts';
import { createPublishChanges } from './publish-changes.ts';
import { createStreamHandler } from './stream-handler.ts';

const environment = readEnvironment(publishEnvironment, process.env);
const log = createPowertoolsLog();
const metrics = createPowertoolsMetrics();

/** A round's calls, the SDK's own repetitions included, and the pause before them. */
const ENOUGH_TIME_MS = 15_000;
const AWS_CALL = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

export const handler = createStreamHandler<StreamRecord>({
  readRecord: (record) => ({
    sequenceNumber: record.dynamodb?.SequenceNumber ?? '',
    record,
    readChange: () => readStreamChange(record),
  }),
  publishChanges: createPublishChanges({
    bus: createEventbridgeEventBus(
      // Two attempts: the rounds above repeat what failed, and only that.
      new EventBridgeClient({ maxAttempts: 2, requestHandler: AWS_CALL }),
      environment.EVENT_BUS_NAME,
    ),
    untold: createSqsUntoldChanges(environment.UNTOLD_CHANGES_QUEUE_URL),
    pause: machinePause,
    randomness: machineRandomness,
    log,
    metrics,
    content: environment.EVENT_CONTENT === 'true',
  }),
  enoughTimeMs: ENOUGH_TIME_MS,
  metrics,
});
