import { LogFormatter, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { describeError } from '../domain/describe-error.ts';
import { maskNumbers } from '../domain/mask-numbers.ts';

/** Fields that do not identify a user, whose digits must stay readable. Callers choose request ids. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  'requestId',
  'messageId',
  'deliveryId',
  'traceId',
  'id',
  'claimId',
  'erasureId',
  'apiRequestId',
  'awsRequestId',
  'sequenceNumber',
  'sequenceNumbers',
  'caller',
]);

const MAX_CHARACTERS = 1_000;
const MAX_DEPTH = 5;

/** Returns a value as it may be logged: errors without their messages, and strings without phone numbers. */
export const loggableValue = (value: unknown, field = '', depth = 0): unknown => {
  if (typeof value === 'string') {
    const text = value.slice(0, MAX_CHARACTERS).toWellFormed();
    return IDENTIFIERS.has(field) ? text : maskNumbers(text);
  }
  if (value instanceof Error) return describeError(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((member) => loggableValue(member, field, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, loggableValue(member, name, depth + 1)]),
  );
};

/**
 * Formats every log line with Powertools' names, and removes personal data from it in case the logging call included
 * some. Leaves out what is the same for all lines of a log group, because every byte is paid for.
 */
export class LoggableFormatter extends LogFormatter {
  override formatAttributes(attributes: UnformattedAttributes, additional: LogAttributes): LogItem {
    const { logLevel, message, timestamp, serviceName, lambdaContext } = attributes;
    return new LogItem({
      attributes: {
        level: logLevel,
        message: maskNumbers(message),
        timestamp: this.formatTimestamp(timestamp),
        service: serviceName,
        cold_start: lambdaContext?.coldStart || undefined,
        function_request_id: lambdaContext?.awsRequestId,
      },
    }).addAttributes(
      Object.fromEntries(Object.entries(additional).map(([name, value]) => [name, loggableValue(value, name)])),
    );
  }
}
