import { type Seconds, seconds } from './duration.ts';

/** The time to establish a connection to the chat service, including TLS. */
export const CONNECT_TIMEOUT_SECONDS = seconds(3);

/** With the function's timeouts for AWS services, one write takes at most ten seconds. */
const WRITE_SECONDS = 11;

/** For the earlier messages of a group. */
const EARLIER_MESSAGES_SECONDS = 35;

const CLOCK_SKEW_SECONDS = 30;

/**
 * Every time limit of the function `send`, derived from the timeouts of a call so that each outlasts the one inside it.
 *
 * @param answerTimeoutSeconds the time from a request to its complete answer
 */
export const timeLimits = (answerTimeoutSeconds: Seconds) => {
  // A call that is answered with a 401 is repeated once with a refreshed token.
  const callSeconds = seconds(2 * (CONNECT_TIMEOUT_SECONDS + answerTimeoutSeconds) + WRITE_SECONDS);
  // The claim, a free-form call, and a template after error 201.
  const requiredSeconds = seconds(WRITE_SECONDS + 2 * callSeconds);
  const timeoutSeconds = seconds(requiredSeconds + EARLIER_MESSAGES_SECONDS);
  const leaseSeconds = seconds(timeoutSeconds + CLOCK_SKEW_SECONDS);
  return {
    /** How long one call may take, including the write of its outcome. */
    callSeconds,
    /** How much of an invocation must be left to start a message. */
    requiredSeconds,
    /** How long a probe of an open circuit breaker may take: a contact check, then a request. */
    probeSeconds: seconds(requiredSeconds + 2 * callSeconds),
    /** The function's timeout. */
    timeoutSeconds,
    /** How long a claim lasts: longer than an invocation. */
    leaseSeconds,
    /** How long a message stays invisible if its function is killed: until the lease has expired, plus clock skew. */
    visibilitySeconds: seconds(leaseSeconds + CLOCK_SKEW_SECONDS),
  };
};
