/**
 * The time limits of the clients of the AWS SDK, which would wait for an answer without one. They are generous, because
 * the connection of an operator's machine can be slow.
 */
export const AWS_CALL = {
  requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};
