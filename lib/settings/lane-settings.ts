import { z } from 'zod';
import { type Ms, ms } from '../../lambdas/domain/duration.ts';

/**
 * How many concurrent invocations of `send` spread the calls to the chat service. A batch has at most ten message
 * groups, and an event source mapping allows no maximum concurrency below 2.
 */
export const sendInvocations = (maxConcurrentCalls: number): number => Math.max(2, Math.ceil(maxConcurrentCalls / 10));

/** Spreads concurrent calls over invocations. */
export const spreadCalls = (
  maxConcurrentCalls: number,
): { readonly invocations: number; readonly callsPerInvocation: number } => {
  const invocations = sendInvocations(maxConcurrentCalls);
  return { invocations, callsPerInvocation: Math.floor(maxConcurrentCalls / invocations) };
};

/**
 * Rejects a pace of less than one call a second for each invocation.
 *
 * An invocation starts messages for 35 seconds. At one call a second, the ten messages of a batch wait for their slots
 * for 10 seconds in all, or for 20 if a template follows every call after error 201. The pace alone therefore returns
 * none of them to the queue. If calls are slow too, it can return the last messages of a contact, which are sent one
 * after another. Each return uses one of the 1,000 receives after which SQS gives a message up. At a call every 10
 * seconds, a batch would return about six of its messages each time.
 */
const paceCheck = z.refine<{ maxConcurrentCalls: number; maxCallsPerSecond?: number | undefined }>(
  ({ maxConcurrentCalls, maxCallsPerSecond }) =>
    maxCallsPerSecond === undefined || maxCallsPerSecond >= sendInvocations(maxConcurrentCalls),
  { path: ['maxCallsPerSecond'] },
);

/** The bulk queue, its concurrency, and its pace. */
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
          'requests may start per second; omit it for no limit',
      }),
  })
  .check(paceCheck)
  .optional()
  .meta({
    description:
      'an object with maxConcurrentCalls and, optionally, maxCallsPerSecond: adds the bulk queue, a second queue for ' +
      'bulk requests, so that they do not delay other requests; omit it to have only the send queue',
  });

/** How many milliseconds apart an invocation starts calls, so that all of them together keep the pace. */
export const callIntervalMs = (maxCallsPerSecond: number, invocations: number): Ms =>
  ms(Math.ceil((1000 * invocations) / maxCallsPerSecond));
