import * as z from '../../domain/schema.ts';
import { parseEnvironment, type Variables, wholeMs, wholeNumber } from '../../runtime/environment.ts';
import type { Lane } from './lanes.ts';

/** What the function needs for the bulk queue. */
export const bulkEnvironment = z.object({
  /** The queue of bulk requests, and the queue for those that are malformed or cannot be processed. */
  BULK_SEND_QUEUE_URL: z.url(),
  BULK_SEND_DEAD_LETTER_QUEUE_URL: z.url(),
  /** The maximum number of concurrent bulk calls in one instance of the function. */
  BULK_MAX_CONCURRENT_CALLS: wholeNumber(1),
  /** The minimum time between the starts of two bulk calls in one instance of the function. @default none */
  BULK_CALL_INTERVAL_MS: z.optional(wholeMs(1)),
});

export type BulkEnvironment = Variables<typeof bulkEnvironment>;

/** Returns the bulk queue. Returns undefined in a stage without one. */
export const parseBulkLane = (environment: Record<string, string | undefined>): Lane | undefined => {
  if (environment.BULK_SEND_QUEUE_URL === undefined) return undefined;
  const variables = parseEnvironment(bulkEnvironment, environment);
  return {
    queueUrl: variables.BULK_SEND_QUEUE_URL,
    deadLetterQueueUrl: variables.BULK_SEND_DEAD_LETTER_QUEUE_URL,
    maxConcurrentCalls: variables.BULK_MAX_CONCURRENT_CALLS,
    callIntervalMs: variables.BULK_CALL_INTERVAL_MS,
    ageMetric: 'RetriedBulkMessageAge',
  };
};
