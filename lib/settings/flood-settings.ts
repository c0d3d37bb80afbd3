import { z } from 'zod';

/** The limit of the webhook. Optional without a default: a stage without it has no limit of its own. */
export const throttle = z
  .strictObject({
    requestsPerSecond: z
      .int()
      .min(1)
      .max(100_000)
      .meta({ description: 'an integer from 1 to 100000: how many requests a second the webhook accepts on average' }),
    burst: z
      .int()
      .min(1)
      .max(100_000)
      .meta({ description: 'an integer from 1 to 100000: how many requests the webhook accepts at once' }),
  })
  .optional()
  .meta({
    description:
      'an object with requestsPerSecond and burst: above them, the webhook answers 429; omit it to accept as many ' +
      'requests as the account allows',
  });

/** The limit of an API, which answers 429 above it. */
export type Throttle = NonNullable<z.output<typeof throttle>>;

/** The maximum concurrency of the inbound queue's event source mapping. */
export const MAX_INBOUND_INVOCATIONS = 5;

/** The maximum concurrency of the erasure queue's event source mapping. */
export const MAX_ERASURE_INVOCATIONS = 2;

const executions = (minimum: number, name: string, atLeast = '') =>
  z
    .int()
    .min(minimum)
    .max(10_000)
    .optional()
    .meta({
      description:
        `an integer from ${minimum} to 10000${atLeast && `, at least ${atLeast}`}: how many executions of ${name} may run at a ` +
        'time, reserved in the account; omit it to share the concurrency of the account',
    });

/**
 * The reserved concurrency of each function. It must exceed the maximum concurrency of the function's queue, because
 * SQS counts a receive for each batch that Lambda throttles.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const reservedConcurrency = z
  .strictObject({
    receive: executions(MAX_INBOUND_INVOCATIONS + 1, 'receive'),
    send: executions(
      2,
      'send',
      'a tenth of chatService.maxConcurrentCalls plus a tenth of sends.bulkLane.maxConcurrentCalls',
    ),
    publish: executions(1, 'publish', '3 with turns'),
    manage: executions(MAX_ERASURE_INVOCATIONS + 1, 'manage'),
  })
  .prefault({})
  .meta({ description: 'an object with receive, send, publish, and manage, all optional' });
