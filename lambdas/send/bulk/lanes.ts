import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Invocation } from '../../runtime/frame.ts';

/** A queue that the function consumes. */
export interface Lane {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** The maximum number of concurrent calls in one instance of the function. */
  readonly maxConcurrentCalls: number;
  /** The minimum time between the starts of two calls in one instance of the function. @default none */
  readonly callIntervalMs?: number | undefined;
  /** The metric with the age of the oldest message that waits. */
  readonly ageMetric: 'RetriedMessageAge' | 'RetriedBulkMessageAge';
}

type HandleBatch = (event: SQSEvent, invocation: Invocation) => Promise<SQSBatchResponse>;

/**
 * Creates the handler of batches from both send queues. Everything about a message, such as its visibility, its dead
 * letter, or its schedule, must use the queue that it came from. A batch is from one queue, because each queue has its
 * own event source mapping.
 *
 * @param bulk the bulk queue, and the handler of its batches
 */
export const createLanes =
  (
    handleBatch: HandleBatch,
    bulk: { readonly queueUrl: string; readonly handleBatch: HandleBatch } | undefined,
  ): HandleBatch =>
  (event, invocation) =>
    (bulk && isFrom(bulk.queueUrl, event) ? bulk.handleBatch : handleBatch)(event, invocation);

/** The last part of a queue's URL and of its ARN is its name. */
const isFrom = (queueUrl: string, { Records: [first] }: SQSEvent): boolean =>
  first?.eventSourceARN.split(':').at(-1) === new URL(queueUrl).pathname.split('/').at(-1);
