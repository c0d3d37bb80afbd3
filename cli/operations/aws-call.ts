/**
 * Timeouts for the AWS SDK's clients, which by default wait for an answer forever. They are generous, because an
 * operator's machine can have a slow connection.
 */
export const AWS_CALL = {
  requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
};
