import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';

/**
 * A received message as Lambda hands it to a function.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html, "Example standard queue message event" and
 * "Example FIFO queue message event"
 */
export const sqsRecord = (message: Message, queueArn: string, awsRegion: string) => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes ?? {},
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, messageAttribute(value)]),
  ),
  ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion,
});

const messageAttribute = (value: MessageAttributeValue) => ({
  ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
  ...(value.BinaryValue !== undefined && { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
  dataType: value.DataType ?? 'String',
});
