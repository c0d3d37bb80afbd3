import { z } from 'zod';

/**
 * How many concurrent invocations of `send` spread the calls to the chat service. A batch has at most ten message
 * groups, and an event source mapping allows no maximum concurrency below 2.
 */
export const sendInvocations = (maxConcurrentCalls: number): number => Math.max(2, Math.ceil(maxConcurrentCalls / 10));

/**
 * Rejects a pace of less than one call a second for each invocation.
 *
 * A function that has received a batch calls for all ten of its messages before their time is up: at one call a second,
 * they wait 10 seconds for their turns, and an invocation starts messages for 35 seconds. A request therefore does not
 * go back to the queue for its pace alone, and the pace uses none of the 1,000 receives after which SQS gives a message
 * up. At a call every 10 seconds, a batch would return about six of its messages each time, and each return counts.
 */
const paceCheck = z.refine<{ maxConcurrentCalls: number; maxCallsPerSecond?: number | undefined }>(
  ({ maxConcurrentCalls, maxCallsPerSecond }) =>
    maxCallsPerSecond === undefined || maxCallsPerSecond >= sendInvocations(maxConcurrentCalls),
  { path: ['maxCallsPerSecond'] },
);

/** The queue for bulk requests, its concurrency, and its pace. */
export const bulkLane = z
  .strictObject({
    maxConcurrentCalls: z
      .int()
      .min(2)
      .max(2000)
      .meta({
        description:
          'an integer from 2 to 2000: how many calls for bulk requests may run at a time, in addition to ' +
          'chatService.maxConcurrentCalls',
      }),
    maxCallsPerSecond: z
      .int()
      .min(2)
      .max(1000)
      .optional()
      .meta({
        description:
          'an integer from 2 to 1000, at least a tenth of sends.bulkLane.maxConcurrentCalls: how many calls for bulk ' +
          'requests may start per second; omit it to start them as fast as the chat service answers',
      }),
  })
  .check(paceCheck)
  .optional()
  .meta({
    description:
      'an object with maxConcurrentCalls and, optionally, maxCallsPerSecond: adds a second queue for bulk requests, so ' +
      'that they do not delay the others; omit it to have one send queue',
  });

/** How many milliseconds apart an invocation starts calls, so that all of them together keep the pace. */
export const callIntervalMs = (maxCallsPerSecond: number, invocations: number): number =>
  Math.ceil((1000 * invocations) / maxCallsPerSecond);
