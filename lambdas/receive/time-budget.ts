/**
 * How the webhook's two seconds are divided in the worst case, in milliseconds. The steps run one after another, each
 * is ended by its own timer, and their sum including a cold start does not exceed the whole.
 */
export const TIME_BUDGET = {
  /** Fetching the keys, certificate, or secret; at most twice, when none is cached and a handshake follows. */
  verification: 400,
  /** The table's writes, which run concurrently. */
  table: 500,
  /** The inbound queue or its dead-letter queue. */
  queue: 300,
  /** A cold start, and the way through the HTTP API. */
  start: 400,
};

/** The timeouts of one attempt of the SDK; a second attempt fits into the budget of the table or the queue. */
export const SDK_TIMEOUTS = { connectionTimeout: 200, requestTimeout: 250, throwOnRequestTimeout: true };

/** An event that is not acknowledged by then is redelivered. Source: the field notes on services with this contract. */
export const WEBHOOK_DEADLINE_MS = 2_000;
