import type { MovableClock } from '../base/clock.ts';
import { LocalError } from '../base/local-error.ts';
import { functionMetrics } from '../emulators/cloudwatch/aws-metrics.ts';
import type { MetricStore } from '../emulators/cloudwatch/metric-store.ts';
import type { Emulators } from '../emulators/emulators.ts';
import { queueUrlOf } from '../emulators/sqs/sqs.ts';
import type { FunctionPool } from '../functions/function-pool.ts';
import type { Functions } from '../functions/functions.ts';
import { type QueueMappingDeclaration, type RunningMapping, startQueueMapping } from './queue-mapping.ts';
import { type StreamMappingDeclaration, startStreamMapping } from './stream-mapping.ts';

/** The event source mappings that a template declares. */
export interface MappingDeclarations {
  readonly queueMappings: readonly QueueMappingDeclaration[];
  readonly streamMappings: readonly StreamMappingDeclaration[];
}

export interface MappingContext {
  readonly functions: Functions;
  readonly emulators: Pick<Emulators, 'sqs' | 'dynamodbStreams' | 'queueBaseUrl'>;
  readonly clock: MovableClock;
  /** Where the age of stream records is recorded. @default nowhere */
  readonly metrics?: MetricStore | undefined;
  readonly warn: (message: string) => void;
}

/** The maximum number of batches that a mapping processes concurrently. It leaves processes for the HTTP API. */
const MAPPING_CONCURRENCY = 2;

/**
 * Starts the declared mappings.
 *
 * @returns the mappings, in the order in which they were declared.
 * @throws LocalError if a mapping names a function that does not exist. In this case, no mapping is started.
 */
export const startMappings = (
  { queueMappings, streamMappings }: MappingDeclarations,
  { functions, emulators, clock, metrics, warn }: MappingContext,
): readonly RunningMapping[] => {
  const { sqs, dynamodbStreams: streams, queueBaseUrl } = emulators;
  const starts = [
    ...queueMappings.map((mapping) => {
      const { invoke } = consumerOf(mapping, functions);
      const concurrency = Math.min(MAPPING_CONCURRENCY, mapping.maximumConcurrency ?? MAPPING_CONCURRENCY);
      const queueUrl = queueUrlOf(mapping.queueArn, queueBaseUrl);
      return () => startQueueMapping(mapping, { sqs, queueUrl, invoke, concurrency, warn });
    }),
    ...streamMappings.map((mapping) => {
      const { invoke, declaration } = consumerOf(mapping, functions);
      const onFailureQueueUrl = mapping.onFailureQueueArn && queueUrlOf(mapping.onFailureQueueArn, queueBaseUrl);
      const recorded = metrics && functionMetrics(metrics, declaration.name, clock.now);
      const onInvoke = (ageMs: number) => recorded?.record('IteratorAge', ageMs);
      const context = { streams, sqs, onFailureQueueUrl, functionArn: declaration.arn, invoke, clock, onInvoke, warn };
      return () => startStreamMapping(mapping, context);
    }),
  ];
  return starts.map((start) => start());
};

const consumerOf = (
  { logicalId, functionNameOrArn }: QueueMappingDeclaration | StreamMappingDeclaration,
  functions: Functions,
): FunctionPool => {
  const consumer = functions.find(functionNameOrArn);
  if (consumer) return consumer;
  throw new LocalError(
    `${logicalId} (AWS::Lambda::EventSourceMapping): FunctionName is ${functionNameOrArn}, which is not a function of this stack.`,
  );
};
