import { ms } from '../domain/duration.ts';

/**
 * How the webhook's two seconds are divided in the worst case. The steps run one after another, each
 * with its own timeout, and together with a cold start they stay within the deadline. `drain` is not one of them.
 */
export const TIME_BUDGET = {
  /** Fetching the keys, certificate, or secret. Used twice at most: when nothing is cached and a handshake follows. */
  verification: ms(400),
  /** Writes to the table, which run concurrently. */
  table: ms(500),
  /** The inbound queue or its dead-letter queue. */
  queue: ms(300),
  /** All writes of a request from the inbound queue, which can have more events than the webhook has time for. */
  drain: ms(4_000),
  /** A cold start, and the overhead of the HTTP API. */
  start: ms(400),
};

/** The timeouts of one SDK attempt. A second attempt still fits into the time budget of the table or the queue. */
export const SDK_TIMEOUTS = { connectionTimeout: 200, requestTimeout: 250, throwOnRequestTimeout: true };

/** Parley's own promise, with a wide margin: services with this contract document a limit of less than 10 seconds. */
export const WEBHOOK_DEADLINE_MS = 2_000;
