/**
 * How the webhook's two seconds are shared out, in the worst case, in milliseconds. The parts follow one another, each ends
 * by itself when its time is up, and their sum with the cold start is at most the whole.
 */
export const TIME_BUDGET = {
  /** The keys, certificate or secret that the check needs; twice at most, when none is cached and a handshake follows. */
  verification: 400,
  /** The table's writes, side by side. */
  table: 500,
  /** The inbound queue, or its dead-letter queue. */
  queue: 300,
  /** A new function's start, and the way through the HTTP API. */
  start: 400,
};

/** The share of one attempt, in the SDK's words: a second one has to fit into what the table or the queue has. */
export const ONE_ATTEMPT = { connectionTimeout: 200, requestTimeout: 250, throwOnRequestTimeout: true };

/** Source: the field notes of services with this contract; a carrier redelivers what is not answered by then. */
export const WEBHOOK_ANSWER_MS = 2_000;
