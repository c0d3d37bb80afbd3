const FIRST_MS = 1_000;
const MAX_JITTER_MS = 30_000;

/** The longest a request waits before its next attempt, unless the chat service asks for more. */
export const MAX_WAIT_MS = 15 * 60 * 1000;

/**
 * The receive at which a message has used up its receives. SQS moves it to the dead-letter queue after 1,000, without a
 * record; the last ten are for retries of recording why it ends.
 */
export const LAST_RECEIVE = 990;

/** How long the receives of a message last, whatever it waits for. */
export const MAX_RETRIED_MS = 10 * 24 * 60 * 60 * 1000;

/** How many receives a message may use at any pace. */
const FREE_RECEIVES = 40;

/** The time between the other receives: a little more than 15 minutes. */
const PACE_MS = MAX_RETRIED_MS / (LAST_RECEIVE - 1 - FREE_RECEIVES);

const MAX_FLOOR_MS = 60 * 60 * 1000;

/**
 * Returns the minimum time before a queue message is received again, so that its receives last ten days, whatever the
 * message waits for. After its first 40 receives, a message gets one for every 15 minutes of its age. A message that has
 * waited long for other reasons has receives to spare, so its next retry may come at once. If attempts end before they
 * set a wait, because the function dies or times out, the later waits are longer, up to an hour.
 *
 * @param receiveCount how many times the message has been received
 * @param ageMs the time since the message was sent to the queue
 */
export const receiveFloorMs = (receiveCount: number, ageMs: number): number => {
  const earlyMs = Math.max(0, (receiveCount - FREE_RECEIVES) * PACE_MS - ageMs);
  const slowerPaceMs = (MAX_RETRIED_MS - ageMs) / Math.max(1, LAST_RECEIVE - receiveCount);
  return Math.min(earlyMs, Math.max(PACE_MS, slowerPaceMs), MAX_FLOOR_MS);
};

/** How many receives an event may use at any pace. */
const FREE_EVENT_RECEIVES = 100;

/**
 * Returns the minimum time before an event on the inbound queue is received again: a hundredth of its age, so that SQS's
 * 1,000 receives last 14 days and an event waits for little longer than the outage that delayed it.
 *
 * @param receiveCount how many times the message has been received
 * @param ageMs the time since the message was sent to the queue
 */
export const eventFloorMs = (receiveCount: number, ageMs: number): number =>
  receiveCount <= FREE_EVENT_RECEIVES ? 0 : ageMs / 100;

/**
 * Returns the exponential backoff before the next attempt. It doubles each time, up to 15 minutes, with jitter so that
 * requests that failed together are not retried together.
 *
 * @param attempt the attempt that failed, starting at 1
 * @param random a random number from 0 (inclusive) to 1 (exclusive)
 */
export const backoffMs = (attempt: number, random: number): number => {
  const full = Math.min(MAX_WAIT_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  const jitter = Math.min(full / 2, MAX_JITTER_MS);
  return Math.round(full - jitter + jitter * random);
};

const FIRST_BLOCKED_MS = 5_000;

/**
 * Returns how long a request waits before it asks again whether requests may be sent: a quarter of the time for which
 * none could be, at least 5 seconds and at most 15 minutes. After a short block, a request is therefore sent soon, and
 * in its first hour it uses about 30 of the receives that it may use at any pace. A longer wait would also outlast a
 * probe that an operator asks for.
 *
 * @param blockedForMs how long requests have been blocked: by an open circuit breaker, or by an operator
 * @param random a random number from 0 (inclusive) to 1 (exclusive)
 */
export const blockedWaitMs = (blockedForMs: number, random: number): number => {
  const bounded = Math.min(MAX_WAIT_MS - MAX_JITTER_MS, Math.max(FIRST_BLOCKED_MS, blockedForMs / 4));
  return Math.round(bounded + random * Math.min(MAX_JITTER_MS, 1_000 + bounded / 2));
};

/** RFC 9110, 5.6.7: the date format that senders must generate. `Date.parse` alone also accepts "-1". */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a Retry-After header: seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds from `nowMs`, at least 0; undefined if the header is missing or malformed
 */
export const parseRetryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  if (!IMF_FIXDATE.test(header.trim())) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
};
