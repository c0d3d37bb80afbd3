/** The error for a request that SQS refuses, with the error code of the JSON protocol. */
export class SqsError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'SqsError';
    this.code = code;
  }
}

/** Returns the error for a parameter whose value SQS does not accept. */
export const invalidValue = (parameter: string, value: unknown, reason: string): SqsError =>
  new SqsError('InvalidParameterValue', `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`);

/** Returns the error for a missing required parameter. */
export const missingParameter = (parameter: string): SqsError =>
  new SqsError('MissingParameter', `The request must contain the parameter ${parameter}.`);

/** Returns the error for something that SQS supports and the emulator does not. */
export const unsupported = (what: string): SqsError =>
  new SqsError('UnsupportedOperation', `The local run's SQS does not support ${what}. Add it in local/emulators/sqs.`);

/**
 * The codes of the same errors in the query protocol. SDKs whose SQS client first used that protocol show these.
 *
 * Source: https://smithy.io/2.0/aws/protocols/aws-query-protocol.html, "awsQueryError"
 */
const QUERY_CODES: Readonly<Record<string, string>> = {
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  BatchRequestTooLong: 'AWS.SimpleQueueService.BatchRequestTooLong',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  InvalidBatchEntryId: 'AWS.SimpleQueueService.InvalidBatchEntryId',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
  PurgeQueueInProgress: 'AWS.SimpleQueueService.PurgeQueueInProgress',
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  UnsupportedOperation: 'AWS.SimpleQueueService.UnsupportedOperation',
};

export const queryCodeOf = (code: string): string => QUERY_CODES[code] ?? code;
