import type { MessageAttributeValue } from '@aws-sdk/client-sqs';

/** A reason may quote what somebody sent; the message that carries it must not grow over SQS's limit. */
const MAX_CHARACTERS = 500;

/**
 * A reason as SQS takes it: SQS refuses a message that holds a character which XML 1.0 does not have.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export const reasonText = (reason: string): string =>
  reason
    .slice(0, MAX_CHARACTERS)
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');

/** Why a message stands in a dead-letter queue, where an operator can filter by it. */
export const reasonAttribute = (reason: string): Record<string, MessageAttributeValue> => ({
  reason: { DataType: 'String', StringValue: reasonText(reason) },
});
