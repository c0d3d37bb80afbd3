import { MessageSystemAttributeName } from '@aws-sdk/client-sqs';
import { md5, md5OfAttributes } from './message-digest.ts';
import type { ReceivedMessage } from './queue.ts';
import { SqsError } from './sqs-error.ts';

/** The system attributes and the message attributes that a receive asks for. */
export interface AttributeSelection {
  readonly systemAttributes: readonly string[];
  readonly messageAttributes: readonly string[];
}

/** @throws SqsError if SQS has no such system attribute. */
export const checkSelection = ({ systemAttributes }: AttributeSelection): void => {
  const known: readonly string[] = Object.values(MessageSystemAttributeName);
  const unknown = systemAttributes.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
};

/**
 * Returns a message in the format of a ReceiveMessage response.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
export const writeMessage = (message: ReceivedMessage, selection: AttributeSelection): object => {
  const attributes = Object.fromEntries(
    Object.entries(message.attributes).filter(([name]) =>
      selection.messageAttributes.some((pattern) => matches(name, pattern)),
    ),
  );
  const system = Object.entries({
    SenderId: 'local',
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    SequenceNumber: message.sequenceNumber,
    MessageGroupId: message.groupId,
    MessageDeduplicationId: message.deduplicationId,
    DeadLetterQueueSourceArn: message.deadLetterQueueSourceArn,
  }).filter(
    ([name, value]) =>
      value !== undefined && selection.systemAttributes.some((wanted) => wanted === 'All' || wanted === name),
  );
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: md5(message.body),
    MD5OfMessageAttributes: md5OfAttributes(attributes),
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(Object.keys(attributes).length > 0 && { MessageAttributes: attributes }),
  };
};

/** Whether an attribute's name matches `All`, `.*`, a name, or a prefix such as `trace.*`. */
const matches = (name: string, pattern: string): boolean =>
  pattern === 'All' || (pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -2)) : name === pattern);
